/** Endpoints to publish to, and what came of it, for tests of the ways in. */
import { createHmac } from 'node:crypto';
import type { AppDeps } from '../../../../src/app/app-deps.ts';
import { toUuid } from '../../../../src/core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../messaging/messages.ts';
import type { Answer } from '../../test-app.ts';

export interface IngressWorld extends MessagesWorld {
  /** An endpoint as the API shows it, its url with the port that the test listens on. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  endpoint(auth: object, more?: object): Promise<any>;
  /** Where an endpoint is reached in this test. */
  reach(url: string): string;
  /** Posts to an address outside the API. */
  post(url: string, body: string | Buffer | FormData, headers?: Record<string, string>): Promise<Answer>;
  /** What is kept of a publication. */
  input(
    id: string,
  ): Promise<{ payload: unknown; headers: Record<string, string>; query: Record<string, string> }>;
  /** How many publications an endpoint has. */
  count(endpointId: string): Promise<number>;
}

export async function startIngress(
  env: Record<string, string> = {},
  egress?: AppDeps['egress'],
): Promise<IngressWorld> {
  const world = await startMessages(env, egress);
  const instance = await world.instance();
  const reach = (url: string): string => world.app.base + new URL(url).pathname;
  return {
    ...world,
    reach,
    async endpoint(auth, more = {}) {
      const destinations = [{ instance_id: instance, to: 'alice', template: 'Came: {{ payload | json }}' }];
      const { status, body } = await world.call('/publishing-endpoints', {
        name: 'Door',
        auth,
        destinations,
        ...more,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return { ...body, url: reach(body.url) };
    },
    async post(url, body, headers = {}) {
      const response = await fetch(url, { method: 'POST', body: body as never, headers });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : text,
      };
    },
    async input(id) {
      const [row] = await world.rows(
        'select payload, headers, query from publication_inputs where publication_id = $1',
        [toUuid('publication', id)],
      );
      return row;
    },
    async count(endpointId) {
      const [{ count }] = await world.rows(
        'select count(*)::integer as count from publications where endpoint_id = $1',
        [toUuid('publishing_endpoint', endpointId)],
      );
      return count;
    },
  };
}

const nowInSeconds = (): string => String(Math.floor(Date.now() / 1000));
const hex = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** Headers of a request that is signed now, as each platform does it. */
export const SIGN: Record<string, (secret: string, body: string, id?: string) => Record<string, string>> = {
  github: (secret, body, id = 'd-1') => ({
    'x-hub-signature-256': `sha256=${hex(secret, body)}`,
    'x-github-delivery': id,
    'x-github-event': 'push',
  }),
  stripe: (secret, body) => {
    const time = nowInSeconds();
    return { 'stripe-signature': `t=${time},v1=${hex(secret, `${time}.${body}`)}` };
  },
  slack: (secret, body) => {
    const time = nowInSeconds();
    return {
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${hex(secret, `v0:${time}:${body}`)}`,
    };
  },
  standard_webhooks: (secret, body, id = 'msg_1') => {
    const time = nowInSeconds();
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  },
  hmac: (secret, body) => ({ 'x-proof': hex(secret, body) }),
};
