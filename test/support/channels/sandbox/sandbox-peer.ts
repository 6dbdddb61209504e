/**
 * The other end of a sandbox account, by plain SQL: it sees what lies in its inbox and puts things into those of others. Of
 * the driver it knows no more than what the tables hold.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MESSAGE_TYPES } from '../../../../src/channels/contract/capabilities.ts';
import { Refused } from '../../../conformance/suite/group-harness.ts';
import type { Peer, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import type { ChatRef } from '../../../../src/channels/contract/connection.ts';
import { sandboxPeerGroups } from './sandbox-group-peer.ts';

/** A row of `instances`, which is what an account of the sandbox is. */
export async function insertAccount(
  pool: pg.Pool,
  workspaceId: string,
  name: string,
): Promise<{ instanceId: string; address: string }> {
  const instanceId = randomUUID();
  await pool.query(
    `insert into instances (workspace_id, id, name, channel, address, state_changed_at, created_by, created_at, updated_at)
     values ($1, $2, $3, 'sandbox', $3, now(), 'usr_test', now(), now())`,
    [workspaceId, instanceId, name],
  );
  return { instanceId, address: name };
}

// oxlint-disable-next-line typescript/no-explicit-any -- JSON as it lies in the table
function getView(signal: any, file: string | null): Sight {
  const { kind, externalId, text, emoji, status, isTyping, isPinned } = signal;
  if (kind === 'edited') return { kind, externalId, text };
  if (kind === 'revoked') return { kind, externalId };
  if (kind === 'reacted') return { kind, externalId, emoji };
  if (kind === 'pinned') return { kind, externalId, isPinned };
  if (kind === 'receipt') return { kind, externalId, status };
  if (kind === 'typing') return { kind, isTyping };
  const { type, subject, data, replyTo, mentions, from } = signal;
  return {
    kind: 'message',
    externalId,
    type,
    text,
    subject,
    file,
    data,
    replyTo: replyTo?.externalId ?? null,
    mentions,
    from,
  };
}

export async function makeSandboxPeer(pool: pg.Pool, workspaceId: string): Promise<Peer> {
  const { instanceId, address } = await insertAccount(
    pool,
    workspaceId,
    `peer-${randomBytes(5).toString('hex')}`,
  );

  const getFile = async (owner: string, clientId: string): Promise<string> => {
    const { rows } = await pool.query<{ bytes: Buffer }>(
      'select bytes from sandbox_files where instance_id = $1 and client_id = $2 order by part',
      [owner, clientId],
    );
    const hash = createHash('sha256');
    for (const { bytes } of rows) hash.update(bytes);
    return hash.digest('hex');
  };
  const putTo = (to: string, signal: object): Promise<unknown> =>
    pool.query(
      `insert into sandbox_inbox (workspace_id, instance_id, sender_id, signals)
       select $1, $2, $3, $4 where not exists (select from sandbox_blocks where instance_id = $2 and address = $5)`,
      [workspaceId, to, instanceId, JSON.stringify([{ ...signal, at: new Date() }]), address],
    );
  /** To all other accounts of a group. */
  const putToGroup = async (group: ChatRef, signal: object): Promise<void> => {
    const { rows } = await pool.query<{ instance_id: string; announce_only: boolean; role: string }>(
      `select m.instance_id, g.announce_only, (
         select role from sandbox_group_members where workspace_id = $1 and group_id = g.id and address = $3
       ) as role
       from sandbox_groups g join sandbox_group_members m on m.workspace_id = g.workspace_id and m.group_id = g.id
       where g.workspace_id = $1 and g.id = $2 and m.instance_id is not null and m.role <> 'banned'`,
      [workspaceId, group.address.slice('group:'.length), address],
    );
    if (rows.some(({ announce_only: only, role }) => only && role === 'member')) throw new Refused('refused');
    for (const { instance_id: to } of rows) if (to !== instanceId) await putTo(to, signal);
  };
  /** IDs of messages by the chat that they came in. */
  const places = new Map<string, string>();
  const own = { kind: 'direct' as const, key: address, address, title: 'Peer' };
  const peerIn = (chat: ChatRef): Peer => {
    const put = async (to: TestAccount, signal: object): Promise<void> => {
      await (chat.kind === 'group' ? putToGroup(chat, signal) : putTo(to.instanceId, signal));
    };
    return {
      address,
      chat,
      sends: MESSAGE_TYPES,
      async seen() {
        const { rows } = await pool.query<{ signals: string }>(
          'select signals from sandbox_inbox where instance_id = $1 order by due_at, n',
          [instanceId],
        );
        const sights: Sight[] = [];
        const signals = rows.flatMap((row) => JSON.parse(row.signals)).filter(({ kind }) => kind !== 'group');
        for (const { kind, externalId, chat: where } of signals)
          if (kind === 'message') places.set(externalId, where.kind === 'group' ? where.key : '');
        const here = chat.kind === 'group' ? chat.key : '';
        // What came by others' hands names the message alone.
        const isHere = ({ chat: where, externalId }: { chat?: ChatRef; externalId: string }): boolean =>
          where
            ? (where.kind === 'group' ? where.key : '') === here
            : (places.get(externalId) ?? here) === here;
        for (const signal of signals.filter(isHere))
          sights.push(
            getView(signal, signal.file ? await getFile(signal.file.instanceId, signal.file.clientId) : null),
          );
        return sights;
      },
      async send(to, { type, text, file, data, replyTo, mentions = [] }) {
        const externalId = `peer-${randomUUID()}`;
        if (file)
          await pool.query(
            'insert into sandbox_files (instance_id, client_id, part, workspace_id, bytes) values ($1, $2, 0, $3, $4)',
            [instanceId, externalId, workspaceId, file.bytes],
          );
        await put(to, {
          kind: 'message',
          externalId,
          chat,
          from: address,
          fromName: 'Peer',
          fromMe: false,
          to: chat.kind === 'group' ? chat.address : to.address,
          type,
          text,
          file: file && {
            from: 'sender',
            instanceId,
            clientId: externalId,
            fileName: file.fileName,
            mimeType: file.mimeType,
          },
          data,
          subject: null,
          replyTo: replyTo && { externalId: replyTo },
          mentions,
        });
        return externalId;
      },
      edit: (to, externalId, text) => put(to, { kind: 'edited', externalId, changeId: null, text }),
      revoke: (to, externalId) => put(to, { kind: 'revoked', externalId }),
      react: (to, externalId, emoji) =>
        put(to, { kind: 'reacted', externalId, clientId: externalId, author: address, fromMe: false, emoji }),
      pin: (to, externalId) => put(to, { kind: 'pinned', externalId, clientId: externalId, isPinned: true }),
      markDelivered: (to, externalId) =>
        put(to, { kind: 'receipt', externalId, clientId: externalId, status: 'delivered', error: null }),
      comeOnline: (to) => put(to, { kind: 'presence', address, isOnline: true }),
      markRead: (to, externalId) =>
        put(to, { kind: 'receipt', externalId, clientId: externalId, status: 'read', error: null }),
      setTyping: (to) => put(to, { kind: 'typing', chat, address, isTyping: true }),
    };
  };
  const groups = sandboxPeerGroups(pool, workspaceId, { instanceId, address }, peerIn);
  return { ...peerIn(own), groups };
}
