/** Erasing a contact, and a workspace, leaves nothing: looked for in every table and every file. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';
import { startTestApp } from '../support/test-app.ts';
import { layTraces, type PersonalData } from '../support/erasure-leftovers.ts';
import { type ErasureWorld, MARK, startErasureWorld } from '../support/erasure-world.ts';
import type { Finding } from '../support/search-everything.ts';

let world: ErasureWorld;
let traces: PersonalData;

beforeAll(async () => {
  const started = await startErasureWorld();
  world = started;
  traces = await layTraces(started);
});
afterAll(() => world.stop());

const places = (found: readonly Finding[]): string[] =>
  [...new Set(found.map(({ where }) => where))].toSorted();
const base = (where: string): string => where.replace(/_(?:default|\d{8})$/, '').replace(/^public\./, '');

/** The channel's own side, which the sandbox plays, keeps what it keeps for a day or two; a real one is elsewhere. */
const isChannels = ({ where }: Finding): boolean => where.startsWith('public.sandbox_');

describe('a contact', () => {
  test('leaves nothing but that its ID was erased', { timeout: 240_000 }, async () => {
    const ids = [traces.contact, traces.merged].flatMap((id) => [id, toUuid('contact', id)!]);
    const words = [MARK, ...ids];
    const before = await world.search(words);
    // The roads by which it has come: what is looked for is there to be found.
    const laid = new Set(before.map(({ where }) => base(where)));
    for (const table of [
      'chats',
      'contact_aliases',
      'contact_identities',
      'contacts',
      'delivery_attempts',
      'events',
      'group_participants',
      'idempotency_keys',
      'inspector_requests',
      'jobs',
      'links',
      'media',
      'messages',
      'pgboss.job_common',
      'publication_inputs',
      'publication_results',
      'publishing_samples',
      'rule_runs',
    ])
      expect.soft([...laid], table).toContain(table);

    await world.call(`/contacts/${traces.contact}`, undefined, 'DELETE');
    await vi.waitFor(async () => {
      const [{ looks }] = await world.rows('select looks from contact_erasures');
      expect(looks).toBe(1);
    }, PATIENCE);
    // The second look is two minutes later.
    await world.rows(
      `update pgboss.job set start_after = now() where name = 'contacts.forget' and state = 'created'`,
    );
    await vi.waitFor(
      async () => expect(await world.rows('select from contact_erasures')).toEqual([]),
      PATIENCE,
    );
    await world.quiet();

    const after = (await world.search(words)).filter((one) => !isChannels(one));
    expect(after.filter(({ word }) => word === MARK)).toEqual([]);
    // That the contact was there, and was erased by whom: its public ID, alone.
    const bare = ({ where, row }: Finding): boolean =>
      base(where) === 'audit_log' ||
      (['delivery_attempts', 'inspector_requests'].includes(base(where)) && /contact.deleted/i.test(row)) ||
      row.includes('""erased"": true, ""object"": ""contact""}}');
    expect(after.filter((one) => base(one.where) !== 'idempotency_keys' && !bare(one))).toEqual([]);
    const uuids = [traces.contact, traces.merged].map((id) => toUuid('contact', id)!);
    expect(after.filter(({ word }) => uuids.includes(word))).toEqual([]);
    expect(world.app.logged.filter((line) => line.toLowerCase().includes(MARK))).toEqual([]);

    // The log has no hole, and others what they had.
    const { data } = await world.call('/events?after_sequence=0&limit=100');
    expect(data.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      data.map((_: unknown, nth: number) => nth + 1),
    );
    expect((await world.call(`/messages/${traces.witness.message}`)).text.body).toBe('plain words');
    const told = await world.call(`/events?resource_id=${traces.witness.message}`);
    expect(told.data[0].data.object.contact_id).toBe(traces.witness.contact);
    expect(await world.call(`/publications/${traces.waiting}`)).toMatchObject({
      status: 'canceled',
      reason: 'contact_erased',
      payload: {},
      messages: [],
    });
    const { results } = await world.call(`/publications/${traces.published}`);
    expect(results.map(({ to }: { to: string | null }) => to)).toContain(null);
    expect(results.map(({ to }: { to: string | null }) => to)).not.toContain('');
    // What was emptied is done again by nobody.
    const key = world.home.key;
    const again = await world.app.call(`/publications/${traces.published}/replay`, { key, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    const runs = await world.rows(
      'select id::text from rule_runs where error_code is null order by id limit 1',
    );
    const rerun = await world.app.call(`/rule-runs/${publicId('rule_run', runs[0].id)}/replay`, {
      key,
      method: 'POST',
    });
    expect([rerun.status, rerun.body.code]).toEqual([422, 'event_expired']);
  });
});

describe('a workspace', () => {
  test('leaves nothing, in no table and no file', { timeout: 240_000 }, async () => {
    const { home, app } = world;
    const uuid = toUuid('workspace', home.workspace)!;
    const { slug } = (await home.owner.call('/me', { workspace: home.workspace })).body.workspace;
    const hashes = await world.rows(`select encode(hash, 'hex') as hash from key_hashes`);
    const ids = (
      await world.rows(
        'select id::text as id from webhooks union select id::text from links union select id::text from api_keys',
      )
    ).map(({ id }) => id as string);
    const words = [
      home.workspace,
      uuid,
      slug,
      MARK,
      'witness',
      ...ids,
      ...hashes.map(({ hash }) => hash as string),
    ];
    expect(places(await world.search(words)).length).toBeGreaterThan(30);

    const gone = await home.owner.call(`/workspaces/${home.workspace}?slug=${slug}`, {
      workspace: home.workspace,
      method: 'DELETE',
    });
    expect(gone).toHaveStatus(204);
    // The job waits a minute; journals of clicks leave the disk within an hour, or after their process.
    await app.app.stop();
    await world.rows(`update pgboss.job set start_after = now() where name = 'workspaces.erase'`);
    const next = await startTestApp({}, app);
    try {
      await vi.waitFor(async () => expect(await world.rows('select from workspaces')).toEqual([]), PATIENCE);
      await vi.waitFor(async () => expect(places(await world.search(words))).toEqual([]), PATIENCE);
    } finally {
      await next.stop();
    }
    expect((await world.rows('select email from users')).length).toBe(1);
  });
});
