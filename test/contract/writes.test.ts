/**
 * Every documented write, called by a key that may do it but may not read what it is about: the answer shows no more
 * than the call created, and the audit log has its entry. Made from /openapi.json, so that an operation that is added
 * later is covered, or has to be named here.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { ALL_SCOPES, isScope, type Scope } from '../../src/core/vocabulary/scopes.ts';
import { READ_SCOPES } from '../../src/core/vocabulary/nouns.ts';
import type { ApiOperation, Json } from '../support/api-document.ts';
import { startContractWorld } from '../support/contract-world.ts';
import { callAsOwner } from '../support/makers.ts';
import type { Received } from '../support/send.ts';

const world = await startContractWorld();
const { app, document, home } = world;
afterAll(() => app.stop());

const writes = document.operations.filter(({ method }) => method !== 'GET');
const specs = new Map(app.app.operations.map(({ spec }) => [spec.id as string, spec]));

/** Operations whose answer is an object that the call created. */
const CREATES = new Set([
  'api_keys.create',
  'webhooks.create',
  'inspectors.create',
  'instances.create',
  'messages.send',
  'messages.send_batch',
  'contacts.create',
  'contacts.upsert',
  'media.create',
  'links.create',
  'links.upsert',
  'links.create_bulk',
  'tags.create',
  'domains.create',
  'publishing_endpoints.create',
  'publications.publish',
  'rules.create',
  'model_providers.create',
  'model_routes.create',
  'budgets.create',
]);

/** Operations that answer with no object that a scope guards, and what they answer with instead. */
const SHOWS_NOTHING: Record<string, string> = {
  'workspaces.create': 'a workspace of the person who calls',
  'invitations.lookup': 'what the token in the body opens',
  'invitations.accept': 'a workspace of the person who calls',
  'chat.completions': 'what the model says',
  'responses.create': 'the same',
  'embeddings.create': 'the same',
  'model_providers.test': 'needs providers:read',
  'model_providers.check': 'what the provider says to the credentials in the body',
  'webhooks.test': 'ids',
  'webhooks.preview': 'needs the scope of the event, and events:read for one of the log',
  'channels.check': 'what the channel says to the credentials in the body',
  'instances.clear_queue': 'a number',
  'instances.replay_unprocessed_updates': 'the same',
  'publishing_endpoints.test': 'needs publishing:read',
  'publishing_endpoints.test_draft': 'what the body is rendered to',
  'rules.test': 'needs rules:read',
  'rules.test_definition': 'what the body does with an event; one of the log takes events:read',
  'rule_runs.replay': 'ids',
  'messages.forward': 'needs messages:read',
  'members.update': 'giving a role takes every scope of it, and each role has members:read',
  'invitations.create': 'the same',
  'links.delete_bulk': 'statuses',
};

/** Operations that the audit log has no entry of, and why. */
const NOT_AUDITED: Record<string, string> = {
  'messages.send': 'the message says who sent it: created_by, source',
  'messages.send_batch': 'the same',
  'messages.forward': 'the same',
  'messages.react': 'part of the conversation, as a message is',
  'messages.unreact': 'the same',
  'messages.read': 'a receipt; the console sends one whenever somebody opens a chat',
  'chats.read': 'the same',
  'chats.typing': 'is not stored',
  'publications.publish': 'the publication says who sent it: created_by',
  'chat.completions': 'changes nothing',
  'responses.create': 'changes nothing',
  'embeddings.create': 'changes nothing',
  'channels.check': 'changes nothing',
  'model_providers.check': 'changes nothing',
  'invitations.lookup': 'changes nothing',
  'webhooks.preview': 'changes nothing',
  'publishing_endpoints.test': 'changes nothing',
  'publishing_endpoints.test_draft': 'changes nothing',
  'rules.test': 'changes nothing',
  'rules.test_definition': 'changes nothing',
};

/** Types of the objects with an ID that an answer can hold. */
function typesIn(schema: Json, depth = 0): string[] {
  const whole = document.resolve(schema);
  if (whole === null || typeof whole !== 'object' || depth > 12) return [];
  const own = whole.properties?.id ? [document.resolve(whole.properties.object)?.const] : [];
  return [...own, ...Object.values<Json>(whole).flatMap((part) => typesIn(part, depth + 1))];
}

const getResponses = ({ document: { responses }, successes }: ApiOperation): Json[] =>
  successes.map((status) => responses[status].content?.['application/json']?.schema ?? {});

/** Scopes that guard what the operation answers with. */
function guarding(operation: ApiOperation): Scope[] {
  if (SHOWS_NOTHING[operation.id]) return [];
  const types = getResponses(operation).flatMap((schema) => typesIn(schema));
  return [...new Set(types.flatMap((type) => READ_SCOPES.get(type) ?? []))];
}

function* objectsIn(value: Json): Generator<Json> {
  if (value === null || typeof value !== 'object') return;
  if (READ_SCOPES.has(value.object) && typeof value.id === 'string') yield value;
  else for (const part of Object.values<Json>(value)) yield* objectsIn(part);
}

async function callWithout(operation: ApiOperation, lacking: readonly Scope[]): Promise<Received> {
  const good = await world.goodCall(operation);
  if (!good.headers?.authorization) return world.call(good);
  const { secret } = await callAsOwner(home, '/api-keys', {
    name: 'writer',
    scopes: ALL_SCOPES.filter((scope) => !lacking.includes(scope)),
    rate_limit: null,
  });
  return world.call(good, { headers: { authorization: `Bearer ${secret}` } });
}

async function auditedActions({ headers }: Received): Promise<string[]> {
  const { rows } = await app.database.pool.query('select action from audit_log where request_id = $1', [
    headers['fairlead-request-id'],
  ]);
  return rows.map(({ action }) => action);
}

test('the scopes that guard objects are those of the operations that read them', () => {
  const declared = new Map<string, string>();
  for (const operation of document.operations.filter(({ method }) => method === 'GET')) {
    const [schema] = document.getVariants(getResponses(operation)[0]);
    const isList = schema.properties?.object?.const === 'list';
    const [shown] = document.getVariants(isList ? schema.properties.data.items : schema);
    const scope = isScope(operation.access ?? '') ? operation.access : operation.alsoNeeds[0];
    if (shown.properties?.id && scope) declared.set(shown.properties.object.const, scope);
  }
  expect(Object.fromEntries(READ_SCOPES)).toEqual(Object.fromEntries(declared));
});

test('operations that are named here exist', () => {
  const ids = new Set(writes.map(({ id }) => id));
  const named = [CREATES, Object.keys(SHOWS_NOTHING), Object.keys(NOT_AUDITED)].flatMap((some) => [...some]);
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

describe.each(writes.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const lacking = guarding(operation);

  test('shows a caller who may not read what it created, and nothing else; the audit log has one entry', async () => {
    const answer = await callWithout(operation, lacking);
    expect(operation.successes, answer.text).toContain(answer.status);
    expect(await auditedActions(answer)).toEqual(NOT_AUDITED[id] ? [] : [id]);
    const isJob = answer.body.object === 'job';
    const isGuarded = lacking.length > 0 && answer.status !== 204;
    if (answer.status !== 204 && !isJob)
      expect(isGuarded, 'add it to SHOWS_NOTHING, with the reason').toBe(!SHOWS_NOTHING[id]);
    const missing = answer.headers['fairlead-missing-scope'] as string | undefined;
    if (!isGuarded || CREATES.has(id)) {
      expect(missing).toBeUndefined();
      expect(document.getErrors(operation, answer.status, answer.body)).toEqual([]);
      return;
    }
    expect(missing?.split(' '), 'if it creates the object, add it to CREATES').toEqual(lacking);
    const objects = [...objectsIn(answer.body)];
    expect(objects.length).toBeGreaterThan(0);
    const shown = ['id', 'object', ...(specs.get(id)!.secrets ?? [])];
    for (const object of objects) expect(shown).toEqual(expect.arrayContaining(Object.keys(object)));
  });
});
