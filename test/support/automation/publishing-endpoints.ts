/** Endpoints in a workspace of their own, for tests. */
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../messaging/messages.ts';
import type { Answer } from '../test-app.ts';
import { getEvents } from '../workspaces.ts';
import { hashToken } from '../../../src/surfaces/automation/publishing-endpoints/authentication/endpoint-token.ts';

/** The end of an ID that nothing has. */
export const MISSING = '01h2xcejqtf2nbrexx3vqjhp41';

export const getErrors = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
/** As the database keeps it. */
export const toHash = (token: string): string => hashToken(token).toString('hex');
export const tokenIn = (url: string): string => url.split('/').at(-1)!;

export interface EndpointsWorld extends MessagesWorld {
  /** An instance that takes messages. */
  box: string;
  destination(more?: object): object;
  getBody(more?: object): object;
  post(more?: object, headers?: Record<string, string>): Promise<Answer>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  create(more?: object): Promise<any>;
  /** Its tokens: hash, and until when it counts. Those that end come first. */
  getTokens(id: string): Promise<[string, Date | null][]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any event
  eventsAbout(id: string): Promise<{ type: string; data: any }[]>;
}

export async function startEndpoints(env: Record<string, string> = {}): Promise<EndpointsWorld> {
  const world = await startMessages(env);
  const box = await world.instance();
  const destination = (more: object = {}) => ({
    instance_id: box,
    to: 'alice',
    template: 'New: {{ payload.title }}',
    ...more,
  });
  const getBody = (more: object = {}) => ({
    name: 'Blog',
    auth: { type: 'secret_url' },
    destinations: [destination()],
    ...more,
  });
  const post = (more: object = {}, headers?: Record<string, string>) =>
    world.call('/publishing-endpoints', getBody(more), 'POST', headers);
  return {
    ...world,
    box,
    destination,
    getBody,
    post,
    async create(more) {
      const { status, body } = await post(more);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    async getTokens(id) {
      const rows = await world.rows(
        'select hash, expires_at from in_tokens where endpoint_id = $1 order by expires_at nulls last',
        [toUuid('publishing_endpoint', id)],
      );
      return rows.map(({ hash, expires_at: until }) => [hash.toString('hex'), until]);
    },
    eventsAbout: async (id) =>
      (await getEvents(world.app, toUuid('workspace', world.home.workspace)!)).filter(
        ({ data }) => data.object.id === id,
      ),
  };
}
