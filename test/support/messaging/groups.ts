/** Groups on a test's database, with a channel whose groups are in memory, and which does what the test says. */
import type { TestDatabase } from '../db.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import type { JobObject } from '../../../src/core/jobs/job.schema.ts';
import { getJob } from '../../../src/core/jobs/job.service.ts';
import { can, OPERATIONS, type Capabilities } from '../../../src/channels/contract/capabilities.ts';
import type {
  GroupAbout,
  GroupCalls,
  GroupInfo,
  GroupParticipant,
} from '../../../src/channels/contract/connection.ts';
import type { Drivers } from '../../../src/channels/contract/driver-registry.ts';
import { DriverError } from '../../../src/channels/contract/driver-error.ts';
import type { GroupSignal } from '../../../src/channels/contract/signal.ts';
import { createWorld, getHolding, type ScriptedHolding, sent, type World } from './queue.ts';
import type { GroupDeps } from '../../../src/surfaces/messaging/groups/group.service.ts';

export const OWN = 'me';

type Room = GroupInfo & GroupAbout;

export interface ScriptedGroups {
  /** By key, as the channel's server has them. */
  rooms: Map<string, Room>;
  calls: GroupCalls;
  /** Names of what was called, in order. */
  called: string[];
  /** Called before each call, whose name it gets; may throw. */
  before: (name: string) => Promise<void> | void;
  /** Addresses that are refused. */
  refused: Set<string>;
}

export const ABOUT = {
  description: null,
  settings: { announceOnly: false, locked: false, membersOnly: false },
  inviteUrl: 'sandbox:invite:1',
  picture: null,
} as const;

export const member = (address: string, role: GroupParticipant['role'] = 'member'): GroupParticipant => ({
  address,
  role,
});

export const groupSignal = (key: string, more: Partial<GroupSignal> = {}): GroupSignal => ({
  kind: 'group',
  key,
  address: key,
  by: null,
  at: new Date(),
  ...more,
});

/** A server of groups: what was done is done, however often it is asked for. */
function scriptGroups(): ScriptedGroups {
  const rooms = new Map<string, Room>();
  const made = new Map<string, string>();
  const script: ScriptedGroups = {
    rooms,
    called: [],
    before: () => {},
    refused: new Set(),
    calls: {} as GroupCalls,
  };
  const enter = async (name: string): Promise<void> => {
    script.called.push(name);
    await script.before(name);
  };
  const getRoom = (key: string): Room => {
    const room = rooms.get(key);
    if (!room) throw new DriverError('rejected', 'group_unknown', 'The group does not exist.');
    return room;
  };
  const outcomes = (addresses: readonly string[]) =>
    addresses.map((address) => ({
      address,
      error: script.refused.has(address) ? { code: 'recipient_unknown', detail: 'Nobody has it.' } : null,
    }));
  script.calls = {
    async create({ clientId, subject, description, settings, participants }) {
      await enter('create');
      const key = made.get(clientId) ?? `room${rooms.size + 1}`;
      made.set(clientId, key);
      const found = outcomes(participants);
      const joined = found.flatMap(({ address, error }) => (error ? [] : [member(address)]));
      rooms.set(key, {
        ...ABOUT,
        key,
        address: key,
        subject,
        description,
        settings: { ...ABOUT.settings, ...settings },
        participants: [member(OWN, 'owner'), ...joined],
      });
      await script.before('created');
      return { group: rooms.get(key)!, participants: found };
    },
    async get(key) {
      await enter('get');
      return getRoom(key);
    },
    async update(key, { picture, settings, ...change }) {
      await enter('update');
      const room = getRoom(key);
      rooms.set(key, {
        ...room,
        ...change,
        settings: { ...room.settings, ...settings },
        picture:
          picture === undefined ? room.picture : picture && { url: `https://example.com/${picture.size}` },
      });
    },
    async changeParticipants(key, action, addresses) {
      await enter(action);
      const room = getRoom(key);
      const found = outcomes(addresses);
      const done = found.flatMap(({ address, error }) => (error ? [] : [address]));
      const others = room.participants.filter(({ address }) => !done.includes(address));
      const isIn = action === 'add' || action === 'promote' || action === 'demote';
      const role = action === 'promote' ? 'admin' : 'member';
      const changed = isIn ? done.map((address) => member(address, role)) : [];
      rooms.set(key, { ...room, participants: [...others, ...changed] });
      return found;
    },
    async revokeInvite(key) {
      await enter('revokeInvite');
      const room = getRoom(key);
      rooms.set(key, { ...room, inviteUrl: `${room.inviteUrl}+` });
      return rooms.get(key)!.inviteUrl;
    },
    async join(invite) {
      await enter('join');
      const room = getRoom(invite);
      rooms.set(invite, { ...room, participants: [...room.participants, member(OWN)] });
      return rooms.get(invite)!;
    },
    async leave(key) {
      await enter('leave');
      rooms.delete(key);
    },
  };
  return script;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any row
type Row = Record<string, any>;

export interface GroupWorld extends World {
  instanceId: string;
  held: ScriptedHolding;
  script: ScriptedGroups;
  deps: GroupDeps;
  actor: { workspaceId: string; id: string };
  capabilities: Capabilities;
  job(id: string): Promise<JobObject>;
  /** Types of events of groups, and what they tell beside the object. */
  told(): Promise<{ type: string; data: Row }[]>;
  query(text: string, values?: unknown[]): Promise<Row[]>;
}

/** An instance whose connection is up, on a channel that has groups. */
export async function createGroupWorld(database: TestDatabase): Promise<GroupWorld> {
  const world = await createWorld(database.db);
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;
  const instanceId = await world.addInstance();
  await query(`update instances set state = 'connected', address = $2 where id = $1`, [instanceId, OWN]);
  const script = scriptGroups();
  const connection = { address: OWN, groups: script.calls };
  const held = getHolding(world, instanceId, await world.take(instanceId), {
    send: () => sent(),
    connection,
  });
  const capabilities: Capabilities = {
    ...held.capabilities,
    operations: OPERATIONS.filter((one) => one !== 'threads'),
    limits: { ...held.capabilities.limits, groupMembers: 50 },
  };
  const driver = { ...held.driver, capabilities: () => capabilities };
  const drivers: Drivers = { all: [driver], get: () => driver, ingressUrl: (token) => token };
  if (!can(capabilities, 'groups')) throw new Error('a channel without groups');
  return {
    ...world,
    instanceId,
    held,
    script,
    capabilities,
    deps: { drivers, wakeSender: () => {} },
    actor: { workspaceId: world.workspaceId, id: 'key_test' },
    job: (id) => getJob(world.units.read, world.workspaceId, toUuid('job', id)!),
    told: async () =>
      (await query(
        `select type, data from outbox where workspace_id = $1 and type like 'group.%' order by n`,
        [world.workspaceId],
      )) as never,
    query,
  };
}
