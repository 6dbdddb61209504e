/**
 * A key is revoked while it is used hard on every process: calls on kept connections, open event streams, chats that
 * stream. Every call must be refused and every stream ended, by default LIMIT_MS after the answer to the revocation, and
 * nothing may succeed later: no call, no event, no further chunk. (In a process that is stopped meanwhile, they end when
 * it goes on.)
 */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, succeeded } from './account.ts';

export const LIMIT_MS = 1000;
const CALLERS_A_SERVER = 8;
const WARM_MS = 700;
const AFTER_MS = 1500;
/** Of a chat: echo sends one in 5 ms. They take longer than a revocation. */
const CHAT_WORDS = 9_999;
/** Bytes a millisecond: before the revocation, and then so fast that what is on its way (some MB) comes in time. */
const READ_RATE = { before: 2_000, after: 20_000 };
/**
 * What a process had given to its socket when it was stopped goes out when it goes on: Node's buffer, and the chunk
 * that filled it. Nothing else may.
 */
const IN_FLIGHT_BYTES = 96 * 1024;
/** A reader who was held up reads faster for this long. */
const CATCH_UP_MS = 50;
const ANSWER_WITHIN_MS = 500;
const MAX_TRIES = 8;
/** For a base that is several processes, which take turns. */
const STREAMS_OF_A_KIND = 2;

const MEANWHILE = { name: 'meanwhile', scopes: ['models:read'] };

export interface RevocationRound {
  calls: number;
  /** When the last success came, in ms after the answer to the revocation; negative when before it. */
  lastSuccessMs: number;
  /** When the last stream ended, in the same way. */
  streamsEndedMs: number;
  faults: string[];
}

export interface RoundOptions {
  /** Base addresses; each may be several processes. */
  bases: string[];
  account: Account;
  /** Called when the load runs; what it gives back is called once the key has been revoked for a while. */
  disturb?: () => Promise<() => Promise<void>>;
  /** How long after the revocation that is (ms). */
  disturbedForMs?: number;
  /** Whether a process is stopped meanwhile: what it has open ends when it goes on. */
  stops?: boolean;
  /** Longest time (ms) until the key works nowhere. On a machine that is slow or busy, LIMIT_MS is not enough. */
  limitMs?: number;
}

/** Moments that matter, in ms of performance.now(). */
interface Clock {
  revokedAt: number;
  limitMs: number;
  over: boolean;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

interface Called {
  status: number;
  at: number;
}

function open(url: string, agent: Agent, init: { key: string; body?: string }): Promise<IncomingMessage> {
  const { key, body } = init;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      resolve,
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Calls one after the other on one connection until the round is over. */
async function callAgain(
  base: string,
  key: string,
  clock: Clock,
  report: (called: Called) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!clock.over) {
    const response = await open(`${base}/api/v1/me`, agent, { key });
    response.resume();
    await new Promise((resolve) => response.once('end', resolve));
    report({ status: response.statusCode ?? 0, at: performance.now() });
    await delay(2);
  }
  agent.destroy();
}

interface OpenStream {
  name: string;
  status: number;
  /** What came later than the limit after the answer to the revocation. */
  lateBytes: () => number;
  endedAt: () => number | null;
  /** Whether it came to its natural end. */
  finished: () => boolean;
  close(): void;
}

/**
 * Reads a stream: slowly, so that it is still open when the key is revoked; faster from then on, so that what was on
 * its way has come before the limit, and what comes later was sent later.
 */
async function follow(name: string, url: string, clock: Clock, init: { key: string; body?: string }) {
  const agent = new Agent();
  const response = await open(url, agent, init);
  let lateBytes = 0;
  let endedAt: number | null = null;
  let tail = '';
  let nextAt = performance.now();
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.now();
    const bytes = Buffer.byteLength(text);
    if (now - clock.revokedAt > clock.limitMs) lateBytes += bytes;
    tail = (tail + text).slice(-100);
    const isRevoked = clock.revokedAt !== Number.POSITIVE_INFINITY;
    nextAt = Math.max(nextAt, now - CATCH_UP_MS) + bytes / (isRevoked ? READ_RATE.after : READ_RATE.before);
    if (nextAt <= now) return;
    response.pause();
    setTimeout(() => response.resume(), nextAt - now);
  });
  const end = (): void => void (endedAt ??= performance.now());
  response.on('end', end).on('error', end).on('close', end);
  const stream: OpenStream = {
    name,
    status: response.statusCode ?? 0,
    lateBytes: () => lateBytes,
    endedAt: () => endedAt,
    finished: () => tail.includes('[DONE]'),
    close: () => agent.destroy(),
  };
  return stream;
}

/** Asks again where no answer comes: a process that is stopped may have been asked. */
async function revoke(account: Account, id: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await account
      .call('POST', `/api-keys/${id}/revoke`, {}, { signal })
      .catch((error: unknown) => {
        if (!signal.aborted || tries === MAX_TRIES) throw error;
        return null;
      });
    if (answer) {
      await succeeded(answer);
      return;
    }
  }
}

export async function revocationRound(options: RoundOptions): Promise<RevocationRound> {
  const { bases, account, disturb, disturbedForMs = 0, stops = false, limitMs = LIMIT_MS } = options;
  const { id, secret: key } = await account.createKey({ name: 'to be revoked' });
  const clock: Clock = { revokedAt: Number.POSITIVE_INFINITY, limitMs, over: false };
  const answers: Called[] = [];
  /** Status of each caller's last answer. Each calls one process all the time. */
  const latest = new Map<object, number>();
  const faults: string[] = [];

  const callers = Promise.all(
    bases.flatMap((base) =>
      times(CALLERS_A_SERVER, () => {
        const caller = {};
        return callAgain(base, key, clock, (called) => {
          answers.push(called);
          latest.set(caller, called.status);
        });
      }),
    ),
  );
  const chat = JSON.stringify({
    model: 'fairlead/echo',
    stream: true,
    messages: [{ role: 'user', content: 'a '.repeat(CHAT_WORDS) }],
  });
  const streams = await Promise.all(
    bases.flatMap((base) => [
      ...times(STREAMS_OF_A_KIND, () => follow('events', `${base}/api/v1/events/stream`, clock, { key })),
      ...times(STREAMS_OF_A_KIND, () =>
        follow('chat', `${base}/api/v1/chat/completions`, clock, { key, body: chat }),
      ),
    ]),
  );
  for (const { name, status } of streams) if (status !== 200) faults.push(`${name} was answered ${status}`);
  await delay(WARM_MS);
  const before = answers.filter(({ status }) => status === 200).length;
  if (before === 0) faults.push('no call succeeded before the revocation');
  for (const { name, endedAt } of streams) if (endedAt() !== null) faults.push(`${name} ended too early`);

  const mend = await disturb?.();
  await revoke(account, id);
  clock.revokedAt = performance.now();
  // Events go on: none may reach the stream of the revoked key.
  const write = () => account.call('POST', '/api-keys', MEANWHILE, { signal: AbortSignal.timeout(1000) });
  // One that asked a stopped process fails, and the next doesn't.
  const writing = setInterval(() => void write().catch(() => undefined), 200);
  await delay(disturbedForMs);
  await mend?.();
  const isRefused = (): boolean =>
    [...latest.values()].every((status) => status === 401) &&
    streams.every(({ endedAt }) => endedAt() !== null);
  while (!isRefused() && performance.now() - clock.revokedAt < limitMs + disturbedForMs) await delay(20);
  const refusedAt = performance.now();
  await delay(AFTER_MS);
  clearInterval(writing);
  clock.over = true;
  await callers;

  const since = (at: number): number => Math.round(at - clock.revokedAt);
  const successes = answers.filter(({ status }) => status === 200).map(({ at }) => since(at));
  const late = successes.filter((ms) => ms > Math.min(limitMs, since(refusedAt)));
  if (late.length) faults.push(`${late.length} calls succeeded late, the last ${Math.max(...late)} ms after`);
  // A process that can't learn in time whether a key still holds lets nobody in: 503.
  const others = answers.filter(({ status }) => ![200, 401, 503].includes(status));
  if (others.length)
    faults.push(`${others.length} answers ${[...new Set(others.map(({ status }) => status))].join(', ')}`);
  const refused = answers.filter(({ status, at }) => status === 401 && since(at) > 0).length;
  if (refused === 0) faults.push('no call was refused afterwards');
  for (const { name, lateBytes, endedAt, finished } of streams) {
    if (finished()) faults.push(`${name} came to its natural end`);
    if (lateBytes() > (stops ? IN_FLIGHT_BYTES : 0)) faults.push(`${name} still gave ${lateBytes()} bytes`);
    const ended = endedAt();
    const allowed = limitMs + (stops ? disturbedForMs : 0);
    if (ended === null) faults.push(`${name} is still open`);
    else if (since(ended) > allowed) faults.push(`${name} ended ${since(ended)} ms after`);
  }
  for (const { close } of streams) close();
  return {
    calls: answers.length,
    lastSuccessMs: Math.max(...successes),
    streamsEndedMs: Math.max(...streams.map(({ endedAt }) => since(endedAt() ?? Number.POSITIVE_INFINITY))),
    faults,
  };
}
