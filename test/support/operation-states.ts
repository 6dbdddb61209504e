/**
 * Calls of operations in states in which they write other events than in the usual one: an address that was invited
 * already, a webhook that was disabled, a budget that is nearly used up.
 */
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { recordName } from '../../src/surfaces/links/domains/txt-record.ts';
import type { ContractWorld } from './contract-world.ts';
import type { NameServer } from './links/domains.ts';
import { callAsOwner, layConnected, layMessage, MAKERS } from './makers.ts';
import { ID_PREFIXES } from '../../src/core/vocabulary/nouns.ts';
import type { FakeProvider } from './models/fake-provider.ts';
import { makeHome } from './tenancy-world.ts';
import { join } from './workspaces.ts';

/** A call of an operation, whose method is known. */
export interface Asked {
  /** Below /api/v1. */
  path: string;
  body?: unknown;
  /** Secret of the key that calls; the world's by default. */
  key?: string;
  /** Of the answer, where the call is refused and the refusal is recorded. */
  refused?: number;
}

export type States = Record<string, (() => Promise<Asked>)[]>;

const EVERYTHING = { scopes: ALL_SCOPES, rate_limit: null };
const HOOK = { url: 'https://example.com/hook', events: ['invitation.revoked'] };
const RULE = {
  events: ['invitation.revoked'],
  actions: [{ type: 'ask_model', model: 'fairlead/echo', prompt: 'Hello' }],
};

let made = 0;
const name = (): string => `state-${++made}`;

type Call = (path: string, body?: unknown, method?: string) => Promise<{ id: string }>;

export function operationStates(world: ContractWorld, names: NameServer, provider: FakeProvider): States {
  const { app, home } = world;
  const { pool } = app.database;
  const make = (path: string, body?: unknown, method?: string) => callAsOwner(home, path, body, method);
  const makeOne = (kind: keyof typeof ID_PREFIXES): Promise<string> => MAKERS[ID_PREFIXES[kind]]!(app, home);
  const byKey =
    (key: string): Call =>
    async (path, body) => {
      const answer = await app.call(path, { key, body });
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };

  /** Instances are wanted and connected. */
  const want = async (instance: string): Promise<string> => {
    const text = "update instances set state = 'connected', desired_state = 'connected' where id = $1";
    await pool.query(text, [toUuid('instance', instance)]);
    return instance;
  };
  const wanted = async (): Promise<string> => want(await makeOne('instance'));
  /** Makes one of each kind that is disabled with its creator. */
  const createAll = async (call: Call): Promise<void> => {
    const instance = await call('/instances', { name: name(), channel: 'sandbox' });
    await want(instance.id);
    await call('/webhooks', HOOK);
    await call('/rules', { name: name(), ...RULE });
    await call('/publishing-endpoints', {
      name: name(),
      auth: { type: 'bearer' },
      destinations: [{ instance_id: instance.id, to: 'alice', template: 'Hi' }],
    });
    await call('/api-keys', { name: name(), preset: 'links' });
  };
  /** Makes a key whose next call of a model reaches the limit of its budget. */
  const limitedKey = async (): Promise<string> => {
    const { id, secret } = await make('/api-keys', { name: name(), ...EVERYTHING });
    await make('/budgets', { name: name(), limit: { calls: 1 }, window: 'month', api_key_id: id });
    return secret;
  };
  /** It is disabled, so that no job reads its list, which would make it active before the call does. */
  const failingProvider = async (): Promise<string> => {
    const { id } = await make('/model-providers', {
      kind: 'openai_compatible',
      name: name(),
      base_url: provider.url,
      api_key: 'sk-example',
      enabled: false,
    });
    await pool.query("update model_providers set state = 'failing' where id = $1", [
      toUuid('model_provider', id),
    ]);
    return id;
  };

  const message = async (more: object = {}): Promise<object> => ({
    instance_id: await layConnected(app, home),
    to: name(),
    type: 'text',
    text: { body: 'See https://example.com/spring' },
    ...more,
  });
  const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
  const getChatId = async (id: string): Promise<string> => (await make(`/messages/${id}`)).chat.id;
  const identity = async () => ({ instance_id: await makeOne('instance'), address: 'alice' });
  const publishTo = async (more: object, payload: object = { title: 'Hello' }): Promise<Asked> => {
    const { id } = await make('/publishing-endpoints', {
      name: name(),
      auth: { type: 'bearer' },
      destinations: [{ instance_id: await layConnected(app, home), to: 'alice', template: 'Hi' }],
      ...more,
    });
    return { path: `/publish/${id}`, body: payload };
  };
  const isReached = (path: string, body: object) => async (): Promise<Asked> => ({
    path,
    body,
    key: await limitedKey(),
  });

  return {
    'invitations.create': [
      async () => {
        const body = { email: `${name()}@example.com`, role: 'viewer' };
        await make('/invitations', body);
        return { path: '/invitations', body };
      },
    ],
    'members.remove': [
      async () => {
        const person = await join(app, { ...home, key: '' }, 'admin', `${name()}@example.com`);
        await createAll(
          async (path, body) => (await person.call(path, { workspace: home.workspace, body })).body,
        );
        return { path: `/members/${person.userId}?disable_created=true` };
      },
    ],
    'api_keys.revoke': [
      async () => {
        const { id, secret } = await make('/api-keys', { name: name(), ...EVERYTHING });
        await createAll(byKey(secret));
        return { path: `/api-keys/${id}/revoke`, body: { disable_created: true } };
      },
    ],
    'webhooks.create': [
      async () => {
        const body = { ...HOOK, url: `${HOOK.url}/${name()}` };
        const { id } = await byKey(world.key)('/webhooks', body);
        await pool.query(
          "update webhooks set enabled = false, disabled_reason = 'gone', disabled_at = now() where id = $1",
          [toUuid('webhook', id)],
        );
        return { path: '/webhooks', body };
      },
    ],
    'webhooks.update': [
      async () => ({ path: `/webhooks/${await makeOne('webhook')}`, body: { enabled: false } }),
    ],
    'instances.update': [async () => ({ path: `/instances/${await wanted()}`, body: { name: name() } })],
    'instances.disconnect': [async () => ({ path: `/instances/${await wanted()}/disconnect` })],
    'instances.logout': [async () => ({ path: `/instances/${await wanted()}/logout` })],
    'instances.clear_queue': [
      async () => {
        const { instance_id: instance } = await make('/messages', await message());
        return { path: `/instances/${instance}/clear-queue` };
      },
    ],
    'messages.send': [
      async () => ({
        path: '/messages',
        body: await message({ scheduled_at: IN_AN_HOUR, shorten_links: true }),
      }),
    ],
    'messages.send_batch': [
      async () => ({
        path: '/messages/batch',
        body: { messages: [await message({ scheduled_at: IN_AN_HOUR, shorten_links: true })] },
      }),
    ],
    'messages.forward': [
      async () => {
        const { id } = await make('/messages', await message());
        return { path: `/messages/${id}/forward`, body: { to: name(), shorten_links: true } };
      },
    ],
    'messages.update': [
      async () => {
        const { id } = await make('/messages', await message({ scheduled_at: IN_AN_HOUR }));
        return {
          path: `/messages/${id}`,
          body: { scheduled_at: new Date(Date.now() + 7_200_000).toISOString() },
        };
      },
    ],
    'chats.read': [
      async () => ({ path: `/chats/${await getChatId(await layMessage(app, home, 'received'))}/read` }),
    ],
    'groups.update': [
      async () => ({ path: `/groups/${await makeOne('group')}`, body: { metadata: { team: 'blue' } } }),
    ],
    'contacts.upsert': [
      async () => {
        const body = { ...(await identity()), name: 'Alice' };
        await make('/contacts/upsert', body, 'PUT');
        return { path: '/contacts/upsert', body: { ...body, name: 'Alice Meyer' } };
      },
    ],
    'contacts.unblock': [
      async () => {
        const contact = await makeOne('contact');
        await make(`/contacts/${contact}/block`, undefined, 'POST');
        return { path: `/contacts/${contact}/unblock` };
      },
    ],
    'contacts.merge': [
      async () => {
        const other = await make('/contacts', { name: 'Alice', identities: [await identity()] });
        return { path: `/contacts/${await makeOne('contact')}/merge`, body: { contact_id: other.id } };
      },
    ],
    'links.upsert': [
      async () => {
        const body = { external_id: name(), url: 'https://example.com/spring' };
        await make('/links/upsert', body, 'PUT');
        return { path: '/links/upsert', body: { ...body, title: 'Spring' } };
      },
    ],
    'domains.verify': [
      async () => {
        const { id, host, verification: record } = await make('/domains', { host: `${name()}.example` });
        names.records.set(recordName(host), [record.value]);
        return { path: `/domains/${id}/verify` };
      },
      async () => {
        const host = `${name()}.example`;
        const mine = await make('/domains', { host });
        const other = await makeHome(app, name(), home.owner);
        const theirs = await callAsOwner(other, '/domains', { host });
        names.records.set(recordName(host), [theirs.verification.value]);
        await callAsOwner(other, `/domains/${theirs.id}/verify`, undefined, 'POST');
        return { path: `/domains/${mine.id}/verify` };
      },
    ],
    'publications.publish': [
      () => publishTo({ schedule: { delay_seconds: 3_600 } }),
      () => publishTo({ filter: 'false' }),
      async () => {
        const asked = await publishTo({ dedupe_key: '{{ payload.title }}' });
        await byKey(world.key)(asked.path, asked.body);
        return asked;
      },
      async () => ({
        ...(await publishTo({
          destinations: [
            { instance_id: await layConnected(app, home), to: '{{ payload.to }}', template: 'Hi' },
          ],
        })),
        refused: 422,
      }),
    ],
    'publications.replay': [
      async () => {
        const asked = await publishTo({ schedule: { delay_seconds: 3_600 } });
        const { id } = await byKey(world.key)(asked.path, asked.body);
        const endpoint = asked.path.split('/').at(-1);
        const destinations = [
          { instance_id: await layConnected(app, home), to: '{{ payload.to }}', template: 'Hi' },
        ];
        await make(`/publications/${id}/cancel`, undefined, 'POST');
        await make(`/publishing-endpoints/${endpoint}`, { destinations }, 'PATCH');
        return { path: `/publications/${id}/replay`, body: { template: 'present' }, refused: 422 };
      },
    ],
    'model_providers.refresh': [
      async () => ({ path: `/model-providers/${await failingProvider()}/refresh` }),
    ],
    'model_providers.test': [
      async () => ({
        path: `/model-providers/${await failingProvider()}/test`,
        body: {},
        key: await limitedKey(),
      }),
    ],
    'model_providers.check': [
      async () => {
        const body = { kind: 'openai_compatible', base_url: provider.url, api_key: 'sk-example' };
        return { path: '/model-providers/check', body, key: await limitedKey() };
      },
    ],
    'chat.completions': [
      isReached('/chat/completions', {
        model: 'fairlead/echo',
        messages: [{ role: 'user', content: 'Hello!' }],
      }),
    ],
    'responses.create': [isReached('/responses', { model: 'fairlead/echo', input: 'Hello!' })],
    'embeddings.create': [isReached('/embeddings', { model: 'fairlead/echo', input: 'Hello!' })],
  };
}
