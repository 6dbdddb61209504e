/**
 * Hints between processes: LISTEN on a dedicated connection, and NOTIFY as a separate statement after the commit, never
 * within a transaction (which would serialize commits). A hint only speeds up polling: it may be late, duplicated or
 * lost.
 *
 * The connection is checked every second. When it fails it is reopened with exponential backoff; after each reopening
 * every channel is notified once, because hints may have been missed.
 */
import pg from 'pg';
import type { Log } from '../logging/log.ts';
import { backoff } from '../time/retry.ts';
import { withTimeout } from '../time/timeout.ts';

const PREFIX = 'fairlead_';
const PING_MS = 1_000;
const PONG_MS = 2_000;
/** Hints that come closer together than this go in one statement. */
const GATHER_MS = 20;
const BACKOFF = { firstMs: 500, maxMs: 15_000, jitter: 0.5 };

export type Channel =
  | 'epoch'
  | 'events'
  | 'connections'
  | 'sandbox'
  | 'queue'
  | 'ingress'
  | 'typing'
  | 'live';

export interface Listener {
  /** Calls `hear` at every hint from another process, and after each opening. Before `start`. */
  on(channel: Channel, hear: (payload: string) => void): void;
  /** Notifies the other processes. Never waits, never throws; does nothing while there is no connection. */
  notify(channel: Channel, payload?: string): void;
  start(): void;
  isConnected(): boolean;
  stop(): Promise<void>;
}

export function createListener(deps: { connection: pg.ClientConfig; log: Pick<Log, 'warn'> }): Listener {
  const { connection, log } = deps;
  const hearers = new Map<Channel, ((payload: string) => void)[]>();
  const waiting = new Map<string, [Channel, string]>();
  let client: pg.Client | null = null;
  let started = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let pinging: NodeJS.Timeout | undefined;
  let sending: NodeJS.Timeout | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const notify = (channel: Channel, payload: string): void => {
    for (const hear of hearers.get(channel) ?? []) hear(payload);
  };

  /** One statement at a time on a connection: the next waits for the end of the one before, however it ended. */
  let before: Promise<unknown> = Promise.resolve();
  const ask = <R extends pg.QueryResultRow>(
    current: pg.Client,
    text: string,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>> => {
    const answer = before.catch(() => undefined).then(() => current.query<R>(text, values));
    before = answer;
    return answer;
  };

  /** A connection may fail in several ways at the same time, which count as one. */
  const lost = new WeakSet<pg.Client>();
  const lose = (gone: pg.Client, reason: unknown): void => {
    if (lost.has(gone)) return;
    lost.add(gone);
    if (client === gone) client = null;
    clearTimeout(pinging);
    destroy(gone);
    if (!started) return;
    if (failures++ === 0) log.warn({ err: reason }, 'listen connection lost, polling instead');
    clearTimeout(retry);
    retry = setTimeout(() => void open(), backoff(failures, BACKOFF));
  };

  const ping = async (current: pg.Client): Promise<void> => {
    try {
      const answer = ask<{ n: number }>(current, 'select count(*)::int as n from pg_listening_channels()');
      const { rows } = await withTimeout(answer, PONG_MS, 'no answer to a ping');
      if (rows[0]!.n < hearers.size)
        throw new Error('LISTEN is not kept: behind a transaction pooler, set DATABASE_DIRECT_URL');
      failures = 0;
      if (client === current) pinging = setTimeout(() => void ping(current), PING_MS);
    } catch (error) {
      lose(current, error);
    }
  };

  const open = async (): Promise<void> => {
    const next = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: 'fairlead hints',
    });
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next, new Error('the connection ended')));
    next.on('notification', ({ channel, payload, processId }) => {
      const own = processId === (next as unknown as { processID: number }).processID;
      if (!own) notify(channel.slice(PREFIX.length) as Channel, payload ?? '');
    });
    try {
      await next.connect();
      before = Promise.resolve();
      const listens = [...hearers.keys()].map((channel) => `listen ${PREFIX}${channel}`);
      await next.query(['set synchronous_commit = off', ...listens].join('; '));
      if (!started) return destroy(next);
      client = next;
      for (const channel of hearers.keys()) notify(channel, '');
      await ping(next);
    } catch (error) {
      lose(next, error);
    }
  };

  const send = (): void => {
    sending = undefined;
    sentAt = performance.now();
    const hints = [...waiting.values()];
    waiting.clear();
    if (!client) return;
    ask(
      client,
      'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as hint (channel, payload)',
      [hints.map(([channel]) => PREFIX + channel), hints.map(([, payload]) => payload)],
    )
      // The connection reports its own loss, and a hint may be lost.
      .catch(() => undefined);
  };

  return {
    on(channel, hear) {
      hearers.set(channel, [...(hearers.get(channel) ?? []), hear]);
    },
    notify(channel, payload = '') {
      if (!client) return;
      waiting.set(`${channel} ${payload}`, [channel, payload]);
      sending ??= setTimeout(send, Math.max(0, GATHER_MS - (performance.now() - sentAt)));
    },
    start() {
      started = true;
      void open();
    },
    isConnected: () => client !== null,
    async stop() {
      started = false;
      clearTimeout(retry);
      clearTimeout(pinging);
      clearTimeout(sending);
      const last = client;
      client = null;
      if (!last) return;
      lost.add(last);
      const slow = setTimeout(() => destroy(last), PONG_MS);
      await last.end();
      clearTimeout(slow);
    },
  };
}

/** Ends a connection without waiting for the other side, which may be gone. */
function destroy(client: pg.Client): void {
  client.removeAllListeners('end');
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
