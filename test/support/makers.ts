/**
 * Real objects for operations that name one, and inputs that an operation's documented example cannot hold, such
 * as the token of a real invitation. A test over all operations fails, and names this file, where one is missing.
 */
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import type { Role } from '../../src/core/vocabulary/scopes.ts';
import { ID_PREFIXES } from '../../src/core/vocabulary/nouns.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';
import { timeOfUuid } from '../../src/platform/db/uuid-time.ts';
import { sealPairing } from '../../src/surfaces/messaging/instances/instance-secrets.ts';
import { type Person, TEST_SECRET, type TestApp } from './test-app.ts';
import { generateInspectToken, inspectUrl } from '../../src/core/webhooks/inspect-token.ts';
import { layAttempt, layDelivery } from './webhooks/deliveries.ts';
import { join, getToken } from './workspaces.ts';
import { automationMakers } from './automation-makers.ts';
import { layGroup } from './lay-group.ts';

/** A workspace with its owner. */
export interface Home {
  owner: Person;
  workspace: string;
  slug: string;
}

export type Maker = (app: TestApp, home: Home) => Promise<string>;

export async function callAsOwner(home: Home, path: string, body?: unknown, method?: string) {
  const answer = await home.owner.call(path, { workspace: home.workspace, body, method });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

let made = 0;

async function invite(home: Home, email: string, role: Role = 'viewer') {
  return callAsOwner(home, '/invitations', { email, role });
}

/** An event of the workspace, once it stands in the log. */
async function firstEvent(app: TestApp, home: Home): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const { data } = await callAsOwner(home, '/events?limit=1');
    if (data.length) return data[0].id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no event entered the log within 5 s');
}

/** The entry of a key that is made for it. */
async function newestEntry(app: TestApp, home: Home): Promise<string> {
  await MAKERS[ID_PREFIXES.api_key]!(app, home);
  return (await callAsOwner(home, '/audit-log?limit=1')).data[0].id;
}

/** A click on the newest link, once it is loaded. */
async function clickNewestLink({ base }: TestApp, home: Home): Promise<string> {
  const [{ id, slug }] = (await callAsOwner(home, '/links?limit=1')).data;
  await fetch(`${base}/${slug}`, { redirect: 'manual' });
  for (let tries = 0; tries < 300; tries++) {
    const { data } = await callAsOwner(home, `/links/${id}/clicks?limit=1`);
    if (data.length) return data[0].id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the click was not loaded within 30 s');
}

/** No operation makes a job by itself; it is the trace of another's long work. */
async function insertJob({ database }: TestApp, { workspace }: Home): Promise<string> {
  const id = newUuid();
  await database.pool.query("insert into jobs (workspace_id, id, type) values ($1, $2, 'contacts.check')", [
    toUuid('workspace', workspace),
    id,
  ]);
  return publicId('job', id);
}

/** Every call makes one, but only within about a second; this one is there on return, and stays the only new one. */
async function insertRequest({ database }: TestApp, { workspace, slug }: Home): Promise<string> {
  const id = newUuid();
  await database.pool.query(
    `insert into api_requests
       (workspace_id, id, created_at, method, operation, route, status, user_id, actor_name, address, duration_ms)
     values ($1, $2, $3, 'GET', 'links.list', '/links', 200, $4, $5, '203.0.113.7', 12)`,
    [toUuid('workspace', workspace), id, timeOfUuid(id), newUuid(), slug],
  );
  return publicId('request', id);
}

/** A call of the built-in model. */
async function makeModelCall(_app: TestApp, home: Home): Promise<string> {
  await callAsOwner(home, '/chat/completions', {
    model: 'fairlead/echo',
    messages: [{ role: 'user', content: home.slug }],
  });
  return (await callAsOwner(home, '/model-calls?limit=1')).data[0].id;
}

/** The address is used through BASE_URL's path alone: a test's port is known only once it listens. */
async function sendToInspector({ base }: TestApp, home: Home): Promise<string> {
  const [{ id, url }] = (await callAsOwner(home, '/inspectors?limit=1')).data;
  const { status } = await fetch(base + new URL(url).pathname, { method: 'POST', body: home.slug });
  if (status !== 200) throw new Error(`the inspector answered ${status}`);
  return (await callAsOwner(home, `/inspectors/${id}/requests?limit=1`)).data[0].id;
}

/** A workspace has at most 20: the newest serves again once there are some. */
async function anInspector(_app: TestApp, home: Home): Promise<string> {
  const { data } = await callAsOwner(home, '/inspectors');
  if (data.length >= 10) return data[0].id;
  return (await callAsOwner(home, '/inspectors', { name: `${home.slug} inspector` })).id;
}

/** A webhook that gets hardly any event, to an address that leads nowhere outside this server. */
async function makeWebhook({ config }: TestApp, home: Home): Promise<string> {
  const body = {
    url: inspectUrl(config.baseUrl, generateInspectToken()),
    events: ['invitation.revoked'],
    description: `${home.slug} webhook`,
  };
  return (await callAsOwner(home, '/webhooks', body)).id;
}

/** The uuid of the workspace's newest webhook: what deliveries are made for. */
async function newestWebhook(app: TestApp, home: Home): Promise<string> {
  const [newest] = (await callAsOwner(home, '/webhooks?limit=1')).data;
  return toUuid('webhook', newest?.id ?? (await makeWebhook(app, home)))!;
}

/** A delivery that ended without success; sent by nobody, so that it stays as it is. */
async function layEndedDelivery(app: TestApp, home: Home): Promise<string> {
  const eventId = toUuid('event', await firstEvent(app, home))!;
  const workspaceId = toUuid('workspace', home.workspace)!;
  const webhookId = await newestWebhook(app, home);
  return publicId('delivery', (await layDelivery(app.database.pool, { workspaceId, webhookId, eventId })).id);
}

/** An attempt of the newest delivery. */
async function layLastAttempt(app: TestApp, home: Home): Promise<string> {
  const webhook = publicId('webhook', await newestWebhook(app, home));
  const [newest] = (await callAsOwner(home, `/webhooks/${webhook}/deliveries?limit=1`)).data;
  const delivery = toUuid('delivery', newest?.id ?? (await layEndedDelivery(app, home)))!;
  const workspaceId = toUuid('workspace', home.workspace)!;
  return publicId('attempt', await layAttempt(app.database.pool, workspaceId, delivery));
}

/** The smallest PNG, with bytes behind it that make each one another file. */
async function upload({ base }: TestApp, { owner, workspace, slug }: Home): Promise<string> {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const form = new FormData();
  form.set('file', new Blob([png, `${slug} ${++made}`], { type: 'image/png' }), `${slug}.png`);
  const headers = { cookie: owner.cookie, origin: base, 'fairlead-workspace': workspace };
  const answer = await fetch(`${base}/api/v1/media`, { method: 'POST', body: form, headers });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`/media: ${answer.status} ${text}`);
  return JSON.parse(text).id;
}

const makeInstance: Maker = async (_app, home) => {
  const body = { name: `${home.slug} box ${++made}`, channel: 'sandbox' };
  return (await callAsOwner(home, '/instances', body)).id;
};

/** One that waits to be paired; nobody connects it, so that it stays as it is. */
async function layPairing(app: TestApp, home: Home): Promise<string> {
  const instance = await makeInstance(app, home);
  const row = { workspace_id: toUuid('workspace', home.workspace)!, id: toUuid('instance', instance)! };
  const step = { kind: 'qr' as const, data: home.slug, expiresAt: new Date(Date.now() + 3_600_000) };
  const sealed = sealPairing(createSecretBox(TEST_SECRET), row, step);
  await app.database.pool.query(
    "update instances set state = 'action_required', pairing_sealed = $1, pairing_expires_at = $2 where id = $3",
    [sealed.pairing_sealed, sealed.pairing_expires_at, row.id],
  );
  return instance;
}

/** One that takes messages; nobody connects it, so that they stay as they are. */
export async function layConnected(app: TestApp, home: Home): Promise<string> {
  const instance = await makeInstance(app, home);
  await app.database.pool.query("update instances set state = 'connected' where id = $1", [
    toUuid('instance', instance),
  ]);
  return instance;
}

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

/** One that waits for its time: it can be changed, canceled and forwarded. */
async function scheduleMessage(app: TestApp, home: Home) {
  return callAsOwner(home, '/messages', {
    instance_id: await layConnected(app, home),
    to: `contact-${++made}`,
    type: 'text',
    text: { body: home.slug },
    scheduled_at: tomorrow(),
  });
}

/** One more in a chat, that waits for its time. */
export async function addMessage(home: Home, chatId: string): Promise<void> {
  const { instance_id } = await callAsOwner(home, `/chats/${chatId}`);
  const text = { body: home.slug };
  const body = { instance_id, chat_id: chatId, type: 'text', text, scheduled_at: tomorrow() };
  await callAsOwner(home, '/messages', body);
}

/** A message that the channel has, or that came from it. */
export async function layMessage(app: TestApp, home: Home, status: 'sent' | 'received'): Promise<string> {
  const { id } = await scheduleMessage(app, home);
  const direction = status === 'sent' ? 'outbound' : 'inbound';
  await app.database.pool.query(
    `with message as (
       update messages set status = $2, direction = $3, sent_at = now() where id = $1 returning id, chat_id
     ), unscheduled as (
       delete from scheduled_messages where message_id = $1
     )
     update chats c set unread = $4, last_message_id = m.id, last_message_at = now() from message m where c.id = m.chat_id`,
    [toUuid('message', id), status, direction, status === 'received' ? 1 : 0],
  );
  return id;
}

/** A message with what it was read from. */
async function laySource(app: TestApp, home: Home): Promise<string> {
  const [id, media] = [await layMessage(app, home, 'received'), await upload(app, home)];
  await app.database.pool.query(
    `insert into message_sources (workspace_id, instance_id, message_id, media_id)
     select workspace_id, instance_id, id, $2 from messages where id = $1`,
    [toUuid('message', id), toUuid('media', media)],
  );
  return id;
}

/** Content that the channel of an instance sent and no driver could read. */
export async function addUnprocessed(app: TestApp, home: Home, instanceId: string): Promise<string> {
  const id = newUuid();
  await app.database.pool.query(
    `insert into unprocessed_updates (workspace_id, instance_id, id, reason, raw, size, fingerprint, created_at)
     values ($1, $2, $3, 'unknown_kind', $4, length($4), $5, $6)`,
    [
      toUuid('workspace', home.workspace),
      toUuid('instance', instanceId),
      id,
      JSON.stringify(home.slug),
      Buffer.from(id),
      timeOfUuid(id),
    ],
  );
  return publicId('unprocessed_update', id);
}

const makeGroup: Maker = async (app, home) =>
  layGroup(app.database.pool, toUuid('instance', await layConnected(app, home))!, home.slug);

const makeLink = async (home: Home): Promise<string> =>
  (await callAsOwner(home, '/links', { url: 'https://example.com/', title: home.slug })).id;

const automation = automationMakers<Home>({ callAsOwner, firstEvent, layConnected });

/** One whose models are not read in the background, so that it stays as it is. Its name resolves nowhere. */
const makeProvider: Maker = async (_app, home) =>
  (
    await callAsOwner(home, '/model-providers', {
      kind: 'openai_compatible',
      name: `${home.slug} models ${++made}`,
      base_url: 'http://models.invalid/v1',
      enabled: false,
    })
  ).id;

const makeRoute: Maker = async (_app, home) =>
  (
    await callAsOwner(home, '/model-routes', {
      name: `route-${++made}`,
      attempts: [{ model: 'fairlead/echo' }],
    })
  ).id;

/** Prefix of an ID → a fresh object of that kind in the workspace, by its public ID. */
export const MAKERS: Record<string, Maker> = {
  ...automation.makers,
  [ID_PREFIXES.workspace]: async (_app, { workspace }) => workspace,
  [ID_PREFIXES.user]: async (app, home) =>
    (await join(app, { ...home, key: '' }, 'viewer', `${home.slug}-member-${++made}@example.com`)).userId,
  [ID_PREFIXES.api_key]: async (_app, home) =>
    (await callAsOwner(home, '/api-keys', { name: `${home.slug} key`, preset: 'links' })).id,
  [ID_PREFIXES.invitation]: async (_app, home) =>
    (await invite(home, `${home.slug}-invited-${++made}@example.com`)).id,
  [ID_PREFIXES.instance]: makeInstance,
  [ID_PREFIXES.message]: async (app, home) => (await scheduleMessage(app, home)).id,
  [ID_PREFIXES.chat]: async (app, home) => (await scheduleMessage(app, home)).chat.id,
  [ID_PREFIXES.group]: makeGroup,
  [ID_PREFIXES.unprocessed_update]: async (app, home) =>
    addUnprocessed(app, home, await makeInstance(app, home)),
  [ID_PREFIXES.contact]: async (_app, home) =>
    (await callAsOwner(home, '/contacts', { name: `${home.slug} contact ${++made}` })).id,
  [ID_PREFIXES.media]: upload,
  [ID_PREFIXES.webhook]: makeWebhook,
  [ID_PREFIXES.delivery]: layEndedDelivery,
  [ID_PREFIXES.attempt]: layLastAttempt,
  [ID_PREFIXES.event]: firstEvent,
  [ID_PREFIXES.job]: insertJob,
  [ID_PREFIXES.request]: insertRequest,
  [ID_PREFIXES.audit_entry]: newestEntry,
  [ID_PREFIXES.click]: clickNewestLink,
  [ID_PREFIXES.domain]: async (_app, home) =>
    (await callAsOwner(home, '/domains', { host: `links${++made}.${home.slug}.example` })).id,
  [ID_PREFIXES.link]: (_app, home) => makeLink(home),
  [ID_PREFIXES.budget]: async (_app, home) =>
    (
      await callAsOwner(home, '/budgets', {
        name: `${home.slug} budget`,
        limit: { usd: 50 },
        window: 'month',
      })
    ).id,
  [ID_PREFIXES.tag]: async (_app, home) => (await callAsOwner(home, '/tags', { name: `tag ${++made}` })).id,
  [ID_PREFIXES.model_provider]: makeProvider,
  [ID_PREFIXES.model_route]: makeRoute,
  [ID_PREFIXES.model_call]: makeModelCall,
  [ID_PREFIXES.inspector]: anInspector,
  // Stands in a path behind its inspector, which is made before and is the newest.
  [ID_PREFIXES.inspector_request]: sendToInspector,
};

/** Path parameters that name no object of a workspace: operation → value. */
export const PLAIN_PARAMETERS: Record<string, string> = {
  'models.get': 'fairlead/echo',
  'channels.get': 'sandbox',
  'channels.check': 'sandbox',
  'event_types.get': 'api_key.created',
  ...automation.plainParameters,
};

/** Operations whose object must be in a state that a fresh one is not in. */
export const OBJECTS_OF: Record<string, Maker> = {
  ...automation.objects,
  'instances.pairing': layPairing,
  'messages.react': (app, home) => layMessage(app, home, 'sent'),
  'messages.unreact': (app, home) => layMessage(app, home, 'sent'),
  'messages.pin': (app, home) => layMessage(app, home, 'sent'),
  'messages.unpin': (app, home) => layMessage(app, home, 'sent'),
  'messages.read': (app, home) => layMessage(app, home, 'received'),
  'messages.source': laySource,
};

const realMessage = async (app: TestApp, home: Home) => ({
  instance_id: await layConnected(app, home),
  to: 'alice',
  type: 'text',
  text: { body: home.slug },
});

export interface Inputs {
  /** Who must call, where the owner can't. */
  as?: Person;
  query?: Record<string, string>;
  body?: unknown;
}

/** Inputs of operations whose documented example can't be the real one. */
export const REAL_INPUTS: Record<string, (app: TestApp, home: Home) => Promise<Inputs>> = {
  ...automation.inputs,
  'workspaces.delete': async (_app, { slug }) => ({ query: { slug } }),
  // The sandbox is called by its name, which only one can have.
  'instances.create': async () => ({ body: { name: `Box ${++made}`, channel: 'sandbox' } }),
  'messages.send': async (app, home) => ({ body: await realMessage(app, home) }),
  'messages.send_batch': async (app, home) => ({ body: { messages: [await realMessage(app, home)] } }),
  'groups.create': async (app, home) => ({
    body: {
      instance_id: await layConnected(app, home),
      subject: home.slug,
      participants: [{ address: 'alice' }],
    },
  }),
  'groups.join': async (app, home) => ({
    body: { instance_id: await layConnected(app, home), invite: `group:${'0'.repeat(20)}?invite=spring` },
  }),
  'contacts.create': async (app, home) => ({
    body: { name: 'Alice', identities: [{ instance_id: await makeInstance(app, home), address: 'alice' }] },
  }),
  'contacts.upsert': async (app, home) => ({
    body: { name: 'Alice', instance_id: await makeInstance(app, home), address: 'alice' },
  }),
  'contacts.check': async (app, home) => ({
    body: { instance_id: await layConnected(app, home), addresses: ['alice'] },
  }),
  'contacts.merge': async (_app, home) => ({
    body: { contact_id: (await callAsOwner(home, '/contacts', { name: 'Alice' })).id },
  }),
  'links.import': async (app, home) => ({ body: { media_id: await upload(app, home) } }),
  'contacts.import': async (app, home) => ({ body: { media_id: await upload(app, home) } }),
  'links.create': async () => ({ body: { url: 'https://example.com/', slug: `launch-${++made}` } }),
  'links.update_bulk': async (_app, home) => ({
    body: { ids: [await makeLink(home)], add_tags: ['spring'] },
  }),
  'links.delete_bulk': async (_app, home) => ({ body: { ids: [await makeLink(home)] } }),
  // The name is what its slug is derived from.
  'model_providers.create': async () => ({
    body: {
      kind: 'openai_compatible',
      name: `Models ${++made}`,
      base_url: 'http://models.invalid/v1',
      api_key: 'sk-example',
      enabled: false,
    },
  }),
  'model_routes.create': async () => ({
    body: { name: `route-${++made}`, attempts: [{ model: 'fairlead/echo' }] },
  }),
  'webhooks.replay': async () => ({ body: { since: new Date(Date.now() - 3_600_000).toISOString() } }),
  'invitations.lookup': async (_app, home) => ({
    body: { token: getToken((await invite(home, `${home.slug}-asked-${++made}@example.com`)).url) },
  }),
  'invitations.accept': async (app, home) => {
    const person = await app.signUp(`${home.slug}-joining-${++made}@example.com`);
    return { as: person, body: { token: getToken((await invite(home, person.email)).url) } };
  },
};
