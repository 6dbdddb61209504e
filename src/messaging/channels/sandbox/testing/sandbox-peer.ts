/**
 * The other end of a sandbox account, by plain SQL: it sees what lies in its inbox and puts things into those of others. Of
 * the driver it knows no more than what the tables hold.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MESSAGE_TYPES } from '../../capabilities.ts';
import type { Peer, Sight, TestAccount } from '../../conformance/harness.ts';

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
function sightOf(signal: any, file: string | null): Sight {
  const { kind, externalId, text, emoji, status, isTyping } = signal;
  if (kind === 'edited') return { kind, externalId, text };
  if (kind === 'revoked') return { kind, externalId };
  if (kind === 'reacted') return { kind, externalId, emoji };
  if (kind === 'receipt') return { kind, externalId, status };
  if (kind === 'typing') return { kind, isTyping };
  const { type, subject, data, replyTo, mentions } = signal;
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
  };
}

export async function makeSandboxPeer(pool: pg.Pool, workspaceId: string): Promise<Peer> {
  const { instanceId, address } = await insertAccount(
    pool,
    workspaceId,
    `peer-${randomBytes(5).toString('hex')}`,
  );

  const fileOf = async (owner: string, clientId: string): Promise<string> => {
    const { rows } = await pool.query<{ bytes: Buffer }>(
      'select bytes from sandbox_files where instance_id = $1 and client_id = $2 order by part',
      [owner, clientId],
    );
    const hash = createHash('sha256');
    for (const { bytes } of rows) hash.update(bytes);
    return hash.digest('hex');
  };
  const put = async (to: TestAccount, signal: object): Promise<void> => {
    await pool.query(
      `insert into sandbox_inbox (workspace_id, instance_id, sender_id, signals)
       select $1, $2, $3, $4 where not exists (select from sandbox_blocks where instance_id = $2 and address = $5)`,
      [workspaceId, to.instanceId, instanceId, JSON.stringify([{ ...signal, at: new Date() }]), address],
    );
  };
  const chat = { kind: 'direct' as const, key: address, address, title: 'Peer' };
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
      for (const signal of rows.flatMap((row) => JSON.parse(row.signals)))
        sights.push(
          sightOf(signal, signal.file ? await fileOf(signal.file.instanceId, signal.file.clientId) : null),
        );
      return sights;
    },
    async send(to, { type, text, file, data, replyTo }) {
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
        to: to.address,
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
        mentions: [],
      });
      return externalId;
    },
    edit: (to, externalId, text) => put(to, { kind: 'edited', externalId, changeId: null, text }),
    revoke: (to, externalId) => put(to, { kind: 'revoked', externalId }),
    react: (to, externalId, emoji) =>
      put(to, { kind: 'reacted', externalId, clientId: externalId, author: address, fromMe: false, emoji }),
    markDelivered: (to, externalId) =>
      put(to, { kind: 'receipt', externalId, clientId: externalId, status: 'delivered', error: null }),
    comeOnline: (to) => put(to, { kind: 'presence', address, isOnline: true }),
    markRead: (to, externalId) =>
      put(to, { kind: 'receipt', externalId, clientId: externalId, status: 'read', error: null }),
    setTyping: (to) => put(to, { kind: 'typing', chat, address, isTyping: true }),
  };
}
