/**
 * Every documented write, called in each state in which it writes something else: the events of the call itself, and
 * those that are named in later-events.ts and follow from the work that it starts, are exactly those that it declares.
 *
 * The calls go to a process that does no background work. Another one does that work over connections with a name of
 * their own, by which a trigger tells the events of the two apart.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startContractWorld } from '../support/contract-world.ts';
import { laterEvents } from '../support/later-events.ts';
import { PATIENCE } from '../support/patience.ts';
import { startNameServer } from '../support/links/domains.ts';
import { startFakeProvider } from '../support/models/fake-provider.ts';
import { type Asked, operationStates } from '../support/operation-states.ts';
import type { ApiOperation } from '../support/api-document.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const BACKGROUND = 'fairlead background';
const names = await startNameServer();
const provider = await startFakeProvider();
const env = { EGRESS_ALLOW: '127.0.0.1', DNS_SERVERS: names.address };
const world = await startContractWorld({ ...env, ROLE: 'api' });
const { app, document } = world;
const { pool } = app.database;
let background: TestApp;

beforeAll(async () => {
  await pool.query(`
    create table written_events (
      n bigint generated always as identity primary key,
      type text not null,
      resource_id text,
      in_background boolean not null
    );
    create function note_event() returns trigger language plpgsql as $$
    begin
      insert into written_events (type, resource_id, in_background)
      values (new.type, new.resource_id, current_setting('application_name') = '${BACKGROUND}');
      return null;
    end $$;
    create trigger note_event after insert on outbox for each row execute function note_event()`);
  const connection = { ...app.database.connection, application_name: BACKGROUND };
  const database = { ...app.database, connection };
  background = await startTestApp({ ...env, ROLE: 'worker' }, { database, config: app.config });
});
afterAll(async () => {
  await background.stop();
  await app.stop();
  await Promise.all([names.stop(), provider.stop()]);
});

const writes = document.operations.filter(({ method }) => method !== 'GET');
const declared = ({ document: { 'x-events': types = [] } }: ApiOperation): string[] => types.toSorted();
const states = operationStates(world, names, provider);
const later = laterEvents(world);

/** The number of the last event, behind which those of a call are. */
async function count(): Promise<number> {
  const { rows } = await pool.query('select coalesce(max(n), 0) as n from written_events');
  return rows[0].n;
}

/** Makes a call. @returns types of the events that the call itself writes */
async function written(call: () => Promise<unknown>): Promise<string[]> {
  const before = await count();
  await call();
  const { rows } = await pool.query(
    'select distinct type from written_events where n > $1 and not in_background',
    [before],
  );
  return rows.map(({ type }) => type);
}

/** Types of the events that background work has written about objects. @param about public IDs; null for any */
async function writtenLater(after: number, about: string[] | null): Promise<string[]> {
  const { rows } = await pool.query(
    `select distinct type from written_events
     where n > $1 and in_background and ($2::text[] is null or resource_id = any ($2))`,
    [after, about],
  );
  return rows.map(({ type }) => type);
}

async function callIn({ method, successes }: ApiOperation, asked: Asked): Promise<string[]> {
  const { path, body, key = world.key, refused } = asked;
  return written(async () => {
    const answer = await app.call(path, { method, body, key });
    expect(refused ? [refused] : successes, JSON.stringify(answer.body)).toContain(answer.status);
  });
}

async function usualCall(operation: ApiOperation): Promise<string[]> {
  const good = await world.goodCall(operation);
  return written(async () => {
    const answer = await world.call(good);
    expect(operation.successes, answer.text).toContain(answer.status);
  });
}

test('operations that are named here exist', () => {
  const ids = new Set(writes.map(({ id }) => id));
  const named = [...Object.keys(states), ...Object.keys(later)];
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

describe.each(writes.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  test('writes the events that it declares, and no others', async () => {
    const types = new Set(await usualCall(operation));
    for (const state of states[id] ?? [])
      for (const type of await callIn(operation, await state())) types.add(type);
    const asked = await later[id]?.();
    if (asked) {
      const { types: following, about } = asked;
      const before = await count();
      for (const type of await callIn(operation, asked)) types.add(type);
      const byItself = following.filter((type) => types.has(type));
      expect(byItself, 'written by the call itself, so not later').toEqual([]);
      const objects = about === undefined ? null : [about].flat();
      await vi.waitFor(
        async () => expect(await writtenLater(before, objects)).toEqual(expect.arrayContaining(following)),
        PATIENCE,
      );
      for (const type of following) types.add(type);
    }
    expect([...types].toSorted()).toEqual(declared(operation));
  });
});
