import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { heard, startInbound } from '../../../../test/support/messaging/inbound.ts';
import { createWorld, getHolding, sent, type World } from '../../../../test/support/messaging/queue.ts';
import type { ChannelTemplate } from '../../../channels/contract/template.ts';
import type { Capabilities } from '../../../channels/contract/capabilities.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { createDrivers } from '../../../channels/contract/driver-registry.ts';
import { createScriptedChannel } from '../../../../test/support/messaging/connections/scripted-channel.ts';
import { readMessage } from '../messages/message-input.ts';
import { planSending } from '../messages/send-plan.ts';

const TEMPLATE: ChannelTemplate = {
  name: 'order_update',
  language: 'en_US',
  category: 'utility',
  state: 'approved',
  reason: null,
  components: [
    { kind: 'header', format: 'text', text: 'Order {{1}}', variables: 1 },
    { kind: 'body', format: 'text', text: 'Hello {{1}}', variables: 1 },
  ],
};
const WINDOW_SECONDS = 3_600;

let database: TestDatabase;
let world: World;
let instanceId: string;
let apply: (...signals: Parameters<ReturnType<typeof startInbound>['apply']>[1]) => Promise<void>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  instanceId = await world.addInstance();
  await query(`update instances set state = 'connected' where id = $1`, [instanceId]);
  const holding = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const inbound = startInbound(world);
  apply = (...signals) => inbound.apply(holding, signals, undefined);
});
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

const scripted = createScriptedChannel(() => null).driver;
const capabilities: Capabilities = {
  ...scripted.capabilities({}),
  types: { text: { text: 1_000 }, template: { text: null } },
  operations: ['templates'],
  limits: { editWithin: null, revokeWithin: null, groupMembers: null, replyWindow: WINDOW_SECONDS },
};
const drivers = createDrivers([{ ...scripted, capabilities: () => capabilities }], 'http://localhost');

const shortener = { measure: async () => new Map(), shorten: async () => [] };

/**
 * Plans a message.
 * @returns null if it can be sent, otherwise its error
 */
async function plan(message: object, at = new Date()): Promise<Problem | { language: unknown }> {
  const input = readMessage(
    { instance_id: publicId('instance', instanceId), to: 'alice', ...message } as never,
    at,
  );
  return world.units.write(async (unit) => {
    const [outcome] = await planSending(unit, { drivers, shortener }, world.workspaceId, [input], at, true);
    if (outcome instanceof Problem) return outcome;
    return { language: (outcome!.input.content as { language?: unknown }).language };
  });
}
const template = (content: object) =>
  plan({ type: 'template', template: { name: 'order_update', ...content } });
const stored = () =>
  query(
    'select name, language, state from message_templates where instance_id = $1 order by name, language',
    [instanceId],
  );

describe('templates of a channel', () => {
  test('replace those that were listed before; unchanged ones keep their time', async () => {
    await apply({ kind: 'templates', all: [TEMPLATE, { ...TEMPLATE, name: 'old' }] });
    const before = await query(`select updated_at from message_templates where name = 'order_update'`);
    const paused = { ...TEMPLATE, language: 'de', state: 'paused' as const };
    await apply({ kind: 'templates', all: [TEMPLATE, paused] });
    expect(await stored()).toEqual([
      { name: 'order_update', language: 'de', state: 'paused' },
      { name: 'order_update', language: 'en_US', state: 'approved' },
    ]);
    expect(
      await query(`select updated_at from message_templates where language = 'en_US' and instance_id = $1`, [
        instanceId,
      ]),
    ).toEqual(before);
  });

  test('are checked before a message is queued', async () => {
    // The channel decides until its templates are known.
    expect(await template({})).toEqual({ language: null });
    await apply({ kind: 'templates', all: [TEMPLATE] });
    const codes = async (content: object): Promise<unknown> => {
      const outcome = await template(content);
      return outcome instanceof Problem
        ? outcome.errors.map(({ pointer, code }) => [pointer, code])
        : outcome;
    };
    expect(await codes({ parameters: ['7', 'Ann'] })).toEqual({ language: 'en_US' });
    expect(await codes({ parameters: ['7'] })).toEqual([['/template/parameters', 'wrong_parameter_count']]);
    expect(await codes({ language: 'fr', parameters: ['7', 'Ann'] })).toEqual([
      ['/template/language', 'unknown_template'],
    ]);
    expect(await codes({ name: 'unknown' })).toEqual([['/template/name', 'unknown_template']]);
    await apply({ kind: 'templates', all: [{ ...TEMPLATE, state: 'rejected', reason: 'INVALID_FORMAT' }] });
    expect(await codes({ parameters: ['7', 'Ann'] })).toEqual([['/template/name', 'template_not_approved']]);
  });
});

test('outside the reply window only templates are accepted', async () => {
  const text = { type: 'text', text: { body: 'Hi' } };
  expect(await plan(text)).toMatchObject({ code: 'window_closed', members: { window_closed_at: null } });
  const at = new Date();
  await apply(heard('first', { at }));
  expect(await plan(text)).toEqual({ language: undefined });
  const closes = new Date(at.getTime() + WINDOW_SECONDS * 1_000);
  expect(await plan(text, closes)).toMatchObject({
    code: 'window_closed',
    members: { window_closed_at: closes.toISOString() },
  });
  expect(await plan({ type: 'template', template: { name: 'any' } }, closes)).toEqual({ language: null });
  // Messages that the account sends from another device don't open the reply window.
  await apply(
    heard('own', { fromMe: true, chat: { kind: 'direct', key: 'bob', address: 'bob', title: null } }),
  );
  expect(await plan({ ...text, to: 'bob' })).toMatchObject({ code: 'window_closed' });
});

test('an address that messages cannot reach is marked, with an event for each change', async () => {
  await apply(heard('first'));
  const since = () =>
    query(`select unreachable_since is not null as marked from contact_identities where instance_id = $1`, [
      instanceId,
    ]);
  const tell = (isReachable: boolean) =>
    apply({ kind: 'reachability', address: 'alice', isReachable, at: new Date() });
  await tell(false);
  await tell(false);
  expect(await since()).toEqual([{ marked: true }]);
  await tell(true);
  expect(await since()).toEqual([{ marked: false }]);
  const events = await world.events('contact.updated');
  expect(events.map(({ object }) => (object as { identities?: unknown }).identities)).toMatchObject([
    [{ address: 'alice', reachable: false }],
    [{ address: 'alice', reachable: true }],
  ]);
  await apply({ kind: 'reachability', address: 'stranger', isReachable: false, at: new Date() });
  expect(await since()).toHaveLength(1);
});
