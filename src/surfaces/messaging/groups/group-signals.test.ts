/** Tests that group signals of a channel are applied and reported once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { startInbound } from '../../../../test/support/messaging/inbound.ts';
import { getGroup } from './group-read.service.ts';
import {
  ABOUT,
  createGroupWorld,
  groupSignal,
  type GroupWorld,
  member,
  OWN,
} from '../../../../test/support/messaging/groups.ts';

let database: TestDatabase;
let world: GroupWorld;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createGroupWorld(database);
});

const types = async () => (await world.told()).map(({ type }) => type);
const read = async (id: string) => (await getGroup(world.units.read, world.workspaceId, id)).group;

describe('group signals', () => {
  const hear = (...signals: ReturnType<typeof groupSignal>[]) =>
    startInbound(world).apply(world.held, signals, undefined);
  const about = { ...ABOUT, subject: 'Team' };
  const all = [member('olga', 'owner'), member(OWN), member('paul')];
  const first = groupSignal('team', { membership: 'joined', about, participants: { all } });
  const groups = () =>
    world.query('select id, participants, membership, version from groups where workspace_id = $1', [
      world.workspaceId,
    ]);

  test('create a group once, however often they are repeated', async () => {
    await hear(first, first);
    await hear(first);
    const [group, ...others] = await groups();
    expect(others).toEqual([]);
    expect(group).toMatchObject({ participants: 3, version: 2 });
    expect(await world.told()).toMatchObject([{ type: 'group.joined', data: { by: null } }]);
    expect(await read(group!['id'])).toMatchObject({
      subject: 'Team',
      role: 'member',
      owner: { address: 'olga' },
      created_by: null,
    });
  });

  test('report who joined, left or was promoted, and by whom', async () => {
    await hear(first);
    const changed = [
      { address: 'paul', role: null, gone: 'removed' as const },
      { address: 'rita', role: 'member' as const, name: 'Rita' },
      { address: 'nobody', role: null, gone: 'left' as const },
    ];
    await hear(groupSignal('team', { participants: { changed }, by: 'olga' }));
    await hear(groupSignal('team', { participants: { all: [...all, member('rita', 'admin')] } }));
    const events = (await world.told()).slice(1);
    expect(events).toMatchObject([
      { type: 'group.participants_changed', data: { by: { address: 'olga', from_me: false } } },
      { type: 'group.participants_changed', data: { by: null } },
    ]);
    expect(
      events.map(({ data }) => (data['changes'] as { action: string }[]).map(({ action }) => action)),
    ).toEqual([
      ['removed', 'added'],
      ['promoted', 'added'],
    ]);
    const [group] = await groups();
    expect(await read(group!['id'])).toMatchObject({
      participants_count: 4,
      participants: [
        { address: 'olga' },
        { address: 'rita', role: 'admin', name: 'Rita' },
        { address: OWN },
        { address: 'paul' },
      ],
    });
  });

  test('report that the account was removed, but nothing for an unknown group', async () => {
    await hear(first);
    await hear(groupSignal('team', { membership: 'banned', by: 'olga' }));
    await hear(groupSignal('gone', { membership: 'destroyed', about }));
    expect(await groups()).toMatchObject([{ membership: 'banned', participants: 2 }]);
    expect((await world.told()).at(-1)).toMatchObject({
      type: 'group.left',
      data: { why: 'banned', by: { address: 'olga' }, object: { membership: 'banned', role: null } },
    });
    expect(await types()).toEqual(['group.joined', 'group.left']);
  });

  test('store at most 5,000 participants, owners first, and limit all values', async () => {
    const many = Array.from({ length: 5_100 }, (_, n) => member(`p${String(n).padStart(4, '0')}`));
    const odd = { address: `\0${'x'.repeat(5_000)}`, role: 'owner' as const, name: 'n\0'.repeat(5_000) };
    await hear(
      groupSignal('big', {
        about: {
          subject: 's\0'.repeat(5_000),
          description: '\ud800'.repeat(9_000),
          inviteUrl: 'u'.repeat(9_000),
        },
        participants: { all: [...many, odd] },
      }),
    );
    const [group] = await groups();
    expect(group).toMatchObject({ participants: 5_000 });
    const shown = await read(group!['id']);
    expect(shown.participants).toHaveLength(100);
    expect(shown.subject.length).toBeLessThanOrEqual(1_000);
    expect(shown.description!.length).toBeLessThanOrEqual(4_000);
    expect(shown.owner!.address.length).toBeLessThan(1_100);
    await hear(groupSignal('big', { participants: { changed: [{ address: 'zz', role: 'member' }] } }));
    expect(await groups()).toMatchObject([{ participants: 5_000 }]);
  });
});
