/**
 * Checks whether an account can be connected with the given settings and credentials: opens a connection and closes it
 * again. Nothing is stored, inbound signals are ignored, and nothing is acknowledged to the channel.
 */
import type { Egress } from '../../platform/egress/egress.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { Problem } from '../../platform/http/problem.ts';
import { createTokenBuckets } from '../../platform/limits/token-buckets.ts';
import type { ChannelCheckObject } from './channel.schema.ts';
import { type Connection } from './connection.ts';
import { type Driver, type DriverContext } from './driver.ts';
import { DriverError } from './driver-error.ts';
import { type Json } from './json.ts';

const WITHIN_MS = 15_000;
const CLOSE_MS = 5_000;
/** Maximum concurrent checks in this process. */
const MOST = 50;
const MAX_OF_WORKSPACE = 5;
/**
 * Per workspace, and per account and host across workspaces: 20 checks in 10 minutes. Prevents password guessing and
 * port scans.
 */
const RATE = { perMinute: 2, burst: 20 };
const MAX_BUCKETS = 20_000;

export interface CheckDeps {
  egress: Egress;
  log: DriverContext['log'];
  /** Timeout in milliseconds; tests shorten it. */
  withinMs?: number;
}

export interface CheckInput {
  workspaceId: string;
  driver: Driver;
  name: string;
  settings: Json;
  credentials: Json;
}

export type CheckChannel = (input: CheckInput) => Promise<ChannelCheckObject>;

const ABANDONED = () => new DriverError('lost', 'check_over', 'The connection was only tested.');
const TOO_LATE = (ms: number) => new DriverError('lost', 'timeout', `No connection within ${ms / 1000} s.`);

/** Opens a connection. @returns the connection, or null if the account must be paired first */
async function tryToOpen(
  { egress, log, withinMs = WITHIN_MS }: CheckDeps,
  { workspaceId, driver, name, settings, credentials }: CheckInput,
): Promise<Connection | null> {
  const over = new AbortController();
  const { promise: decided, resolve, reject } = Promise.withResolvers<Connection | null>();
  const timer = setTimeout(() => reject(TOO_LATE(withinMs)), withinMs);
  let isDecided = false;
  const opening = driver.open({
    workspaceId,
    instanceId: newUuid(),
    name,
    settings,
    credentials,
    egress,
    position: null,
    log,
    ingressUrl: null,
    signal: over.signal,
    // A call without signals only stores the position, so it acknowledges nothing.
    emit: (signals) => (signals.length > 0 ? Promise.reject(ABANDONED()) : Promise.resolve()),
    receiveFile: (source) => {
      source.destroy();
      return Promise.reject(ABANDONED());
    },
    pairing: (step) => void (step && resolve(null)),
    saveCredentials: () => Promise.resolve(),
    ended: reject,
  });
  opening.then((connection) => {
    if (isDecided) void connection.close();
    else resolve(connection);
  }, reject);
  try {
    return await decided;
  } finally {
    isDecided = true;
    clearTimeout(timer);
    over.abort();
  }
}

/**
 * Returns the names of the token buckets that the check takes from. Host and user are lowercased: hosts are
 * case-insensitive, and so are users on most servers.
 */
const getBudgets = ({ workspaceId, driver, settings, credentials }: CheckInput): Set<string> => {
  const accounts = driver.accounts?.(settings, credentials) ?? [];
  return new Set([
    `of ${workspaceId}`,
    ...accounts.map(({ host, user }) => `at ${host.toLowerCase()} ${user.toLowerCase()}`),
  ]);
};

/**
 * @returns a function that checks an account and reports a failed connection in its result. @throws Problem
 * rate_limited if too many checks are running or were started; any error of the driver that is not a DriverError
 */
export function createChannelCheck(deps: CheckDeps): CheckChannel {
  const buckets = createTokenBuckets(RATE, MAX_BUCKETS);
  const running = new Map<string, number>();
  let total = 0;

  const count = (workspaceId: string, by: number): void => {
    total += by;
    const left = (running.get(workspaceId) ?? 0) + by;
    if (left > 0) running.set(workspaceId, left);
    else running.delete(workspaceId);
  };

  return async (input) => {
    const { workspaceId, driver } = input;
    if (total >= MOST || (running.get(workspaceId) ?? 0) >= MAX_OF_WORKSPACE)
      throw new Problem(
        'rate_limited',
        'Too many connection checks are in progress. Try again when they are complete.',
        {
          headers: { 'retry-after': '5' },
        },
      );
    const budgets = [...getBudgets(input)];
    const seconds = Math.max(...budgets.map((name) => buckets.wait(name)));
    if (seconds > 0)
      throw new Problem('rate_limited', 'Too many checks. Try again later.', {
        headers: { 'retry-after': String(seconds) },
      });
    for (const name of budgets) buckets.take(name);
    const about = { object: 'channel_check' as const, channel: driver.channel };
    count(workspaceId, 1);
    try {
      const connection = await tryToOpen(deps, input);
      const found = { address: connection?.address ?? null, profile_name: connection?.profileName ?? null };
      await Promise.race([connection?.close(), new Promise((done) => setTimeout(done, CLOSE_MS).unref())]);
      return { ...about, ok: true, needs_pairing: connection === null, ...found, error: null };
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      const { code, message: detail } = error;
      const nothing = { address: null, profile_name: null };
      return { ...about, ok: false, needs_pairing: false, ...nothing, error: { code, detail } };
    } finally {
      count(workspaceId, -1);
    }
  };
}
