/** Groups of a sandbox peer, by plain SQL: rows of groups and members, and what their accounts are told. */
import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type GroupSight, type PeerGroups, Refused } from '../../../conformance/suite/group-harness.ts';
import type { Peer } from '../../../conformance/suite/harness.ts';
import type { ChatRef, GroupRole, GroupSettings } from '../../../../src/channels/contract/connection.ts';

interface Row {
  subject: string;
  description: string | null;
  announce_only: boolean;
  locked: boolean;
  members_only: boolean;
  invite: string;
  picture: Buffer | null;
}
interface MemberRow {
  address: string;
  role: GroupRole | 'banned';
  instance_id: string | null;
}

const getId = ({ address }: ChatRef): string => address.slice('group:'.length);
const getChat = (id: string, title: string): ChatRef => ({
  kind: 'group',
  key: `group:${id}`,
  address: `group:${id}`,
  title,
});
const getSettings = ({ announce_only, locked, members_only }: Row): GroupSettings => ({
  announceOnly: announce_only,
  locked,
  membersOnly: members_only,
});

export function sandboxPeerGroups(
  pool: pg.Pool,
  workspaceId: string,
  self: { instanceId: string; address: string },
  within: (group: ChatRef) => Peer,
): PeerGroups {
  const read = async (id: string): Promise<{ group: Row; members: MemberRow[] }> => {
    const { rows } = await pool.query<Row>(
      'select * from sandbox_groups where workspace_id = $1 and id = $2',
      [workspaceId, id],
    );
    const members = await pool.query<MemberRow>(
      'select address, role, instance_id from sandbox_group_members where workspace_id = $1 and group_id = $2 order by n',
      [workspaceId, id],
    );
    if (!rows[0]) throw new Error('no such group');
    return { group: rows[0], members: members.rows };
  };
  const report = (instanceId: string, id: string, delivered: object): Promise<unknown> => {
    const address = `group:${id}`;
    const signal = { kind: 'group', key: address, address, by: self.address, at: new Date(), ...delivered };
    return pool.query('insert into sandbox_inbox (workspace_id, instance_id, signals) values ($1, $2, $3)', [
      workspaceId,
      instanceId,
      JSON.stringify([signal]),
    ]);
  };
  const tellAll = async (id: string, delivered: object, but: string | null = null): Promise<void> => {
    for (const { instance_id: to, address, role } of (await read(id)).members)
      if (to !== null && to !== self.instanceId && role !== 'banned' && address !== but)
        await report(to, id, delivered);
  };
  const put = async (id: string, address: string, role: string): Promise<string | null> => {
    const { rows } = await pool.query<{ instance_id: string | null }>(
      `insert into sandbox_group_members (workspace_id, group_id, address, role, instance_id)
       values ($1, $2, $3, $4, (select id from instances where workspace_id = $1 and address = $3))
       on conflict (workspace_id, group_id, address) do update set role = $4 returning instance_id`,
      [workspaceId, id, address, role],
    );
    return rows[0]!.instance_id;
  };
  const drop = (id: string, address: string): Promise<unknown> =>
    pool.query(
      'delete from sandbox_group_members where workspace_id = $1 and group_id = $2 and address = $3',
      [workspaceId, id, address],
    );
  const getParticipants = (members: MemberRow[]) =>
    members.flatMap(({ address, role }) => (role === 'banned' ? [] : [{ address, role }]));
  const welcome = async (id: string, instanceId: string): Promise<void> => {
    const { group, members } = await read(id);
    const { subject, description, invite } = group;
    await report(instanceId, id, {
      membership: 'joined',
      about: {
        subject,
        description,
        settings: getSettings(group),
        inviteUrl: `group:${id}?invite=${invite}`,
        picture: null,
      },
      participants: { all: getParticipants(members) },
    });
  };
  const getRole = async (id: string): Promise<MemberRow['role'] | undefined> =>
    (await read(id)).members.find(({ address }) => address === self.address)?.role;
  const add = async (id: string, address: string): Promise<void> => {
    const to = await put(id, address, 'member');
    await tellAll(id, { participants: { changed: [{ address, role: 'member' }] } }, address);
    if (to !== null && to !== self.instanceId) await welcome(id, to);
  };

  return {
    async create({ subject, settings: given = {} }, members) {
      const id = randomBytes(10).toString('hex');
      const { announceOnly = false, locked = false, membersOnly = false } = given;
      await pool.query(
        `insert into sandbox_groups (workspace_id, id, subject, announce_only, locked, members_only, invite)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [workspaceId, id, subject, announceOnly, locked, membersOnly, randomBytes(8).toString('hex')],
      );
      await put(id, self.address, 'owner');
      for (const address of members) await add(id, address);
      return getChat(id, subject);
    },
    async see(group) {
      const found = await read(getId(group)).catch(() => null);
      const participants = getParticipants(found?.members ?? []);
      if (!found || !participants.some(({ address }) => address === self.address)) return null;
      const { subject, description, picture } = found.group;
      const sight: GroupSight = {
        subject,
        description,
        settings: getSettings(found.group),
        picture: picture && createHash('sha256').update(picture).digest('hex'),
        participants,
      };
      return sight;
    },
    async update(group, { subject, description, picture, settings }) {
      const id = getId(group);
      const { group: was } = await read(id);
      const role = await getRole(id);
      if (role === undefined || role === 'banned' || (was.locked && role === 'member'))
        throw new Refused('refused');
      const is = { ...getSettings(was), ...settings };
      await pool.query(
        `update sandbox_groups set subject = $3, description = $4, picture = $5, announce_only = $6, locked = $7,
           members_only = $8, picture_sha256 = case when $5::bytea is null then null else encode(sha256($5), 'hex') end
         where workspace_id = $1 and id = $2`,
        [
          workspaceId,
          id,
          subject ?? was.subject,
          description ?? was.description,
          picture ?? was.picture,
          is.announceOnly,
          is.locked,
          is.membersOnly,
        ],
      );
      const about = {
        ...(subject === undefined ? {} : { subject }),
        ...(description === undefined ? {} : { description }),
        ...(settings ? { settings: is } : {}),
        ...(picture ? { picture: { from: 'group', id } } : {}),
      };
      await tellAll(id, { about });
    },
    async changeParticipants(group, action, address) {
      const id = getId(group);
      if (action === 'add') return add(id, address);
      if (action === 'unban') return void (await drop(id, address));
      if (action === 'promote' || action === 'demote') {
        const role = action === 'promote' ? 'admin' : 'member';
        await put(id, address, role);
        return tellAll(id, { participants: { changed: [{ address, role }] } });
      }
      const gone = action === 'ban' ? 'banned' : 'removed';
      const { members } = await read(id);
      const to = members.find((member) => member.address === address)?.instance_id ?? null;
      await (action === 'ban' ? put(id, address, 'banned') : drop(id, address));
      await tellAll(id, { participants: { changed: [{ address, role: null, gone }] } });
      if (to !== null) await report(to, id, { membership: gone });
    },
    async join(invite) {
      const [address, token] = invite.split('?invite=');
      const id = address!.slice('group:'.length);
      const { group } = await read(id);
      const isShut = token === undefined ? group.members_only : token !== group.invite;
      if (isShut || (await getRole(id)) === 'banned') throw new Refused('refused');
      await add(id, self.address);
    },
    async leave(group) {
      const id = getId(group);
      await drop(id, self.address);
      await tellAll(id, { participants: { changed: [{ address: self.address, role: null, gone: 'left' }] } });
    },
    async invite(group) {
      return `${group.address}?invite=${(await read(getId(group))).group.invite}`;
    },
    async destroy(group) {
      const id = getId(group);
      await tellAll(id, { membership: 'destroyed' });
      for (const table of ['sandbox_group_members where group_id', 'sandbox_groups where id'])
        await pool.query(`delete from ${table} = $2 and workspace_id = $1`, [workspaceId, id]);
    },
    within,
  };
}
