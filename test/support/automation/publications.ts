/** A world in which something is published: two connected accounts of the sandbox, and endpoints that send from them. */
import { expect, vi } from 'vitest';
import { PATIENCE } from '../patience.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { getEvents } from '../workspaces.ts';
import { type MessagesWorld, startMessages } from '../messaging/messages.ts';

export interface Endpoint {
  id: string;
  url: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Any = any;

export interface PublishingWorld extends MessagesWorld {
  /** Connected. */
  sender: string;
  connect(name: string): Promise<string>;
  destination(more?: object): object;
  endpoint(more?: object): Promise<Endpoint>;
  post(endpoint: Endpoint, payload?: unknown): Promise<{ status: number; body: Any }>;
  /** Posts what is accepted. @returns ID of the publication */
  posted(endpoint: Endpoint, payload?: unknown): Promise<string>;
  /** What the log tells of it. */
  typesAbout(id: string): Promise<string[]>;
  /** The log tells of a publication in this order, and nothing else. */
  isTold(id: string, ...types: string[]): Promise<void>;
  read(id: string): Promise<Any>;
  /** Waits until a publication has a status, and what else is given. */
  until(id: string, status: string, more?: object): Promise<Any>;
  /** What waits is due now, also what is to be tried again. */
  makeDue(id: string): Promise<void>;
}

export async function startPublishing(env: Record<string, string> = {}): Promise<PublishingWorld> {
  const world = await startMessages(env);
  const connect = async (name: string): Promise<string> => {
    const { id } = (await world.call('/instances', { name, channel: 'sandbox' })).body;
    await world.call(`/instances/${id}/connect`, {});
    await vi.waitFor(
      async () => expect((await world.call(`/instances/${id}`)).body.state).toBe('connected'),
      PATIENCE,
    );
    return id;
  };
  const sender = await connect('Sender');
  const destination = (more: object = {}) => ({
    instance_id: sender,
    to: 'alice',
    template: 'New: {{ payload.title }}',
    ...more,
  });
  const read = async (id: string) => (await world.call(`/publications/${id}`)).body;
  const post: PublishingWorld['post'] = async ({ url }, payload = { title: 'Hello' }) => {
    const answer = await fetch(url.replace(world.app.config.baseUrl, world.app.base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    return { status: answer.status, body: (await answer.json()) as Any };
  };
  const typesAbout = async (id: string): Promise<string[]> =>
    (await getEvents(world.app, toUuid('workspace', world.home.workspace)!))
      .filter(({ data }) => data.object.id === id)
      .map(({ type }) => type);
  return {
    ...world,
    sender,
    connect,
    destination,
    read,
    async endpoint(more = {}) {
      const body = { name: 'Blog', auth: { type: 'secret_url' }, destinations: [destination()], ...more };
      const made = await world.call('/publishing-endpoints', body);
      expect([made.status, made.body.errors]).toEqual([201, undefined]);
      return made.body;
    },
    post,
    async posted(...given) {
      const { status, body } = await post(...given);
      expect([status, body.errors]).toEqual([202, undefined]);
      return body.id;
    },
    typesAbout,
    isTold: (id, ...types) =>
      vi.waitFor(
        async () => expect(await typesAbout(id)).toEqual(types.map((type) => `publication.${type}`)),
        PATIENCE,
      ),
    until: (id, status, more = {}) =>
      vi.waitFor(async () => {
        const publication = await read(id);
        expect(publication).toMatchObject({ status, ...more });
        return publication;
      }, PATIENCE),
    async makeDue(id) {
      const given = [toUuid('publication', id)];
      await world.rows(
        'update publication_results set next_attempt_at = now() where publication_id = $1 and next_attempt_at is not null',
        given,
      );
      await world.rows('update publication_queue set due_at = now() where publication_id = $1', given);
    },
  };
}

/** Of each destination. */
export const shown = ({ results }: { results: Record<string, unknown>[] }, ...names: string[]) =>
  results.map((one) => names.map((name) => one[name]));
