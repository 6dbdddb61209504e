/**
 * Password hashes: argon2id by Node's own crypto, stored as PHC strings (`$argon2id$v=19$m=47104,t=1,p=1$salt$hash`).
 *
 * Of the parameters that OWASP considers equivalent, these use the most memory on purpose: glibc gives blocks above 32
 * MiB back to the system when they are freed. With 19 MiB and two passes twenty sign-ins left a process 130 MB larger
 * permanently; with these, not at all.
 *
 * Each hash takes 46 MiB and a core for some 50 ms, on a thread of libuv's pool. Therefore concurrency and queue length
 * are limited: a flood of sign-ins can't exhaust the memory, more than half of the cores, or the threads that file
 * access needs. Waiting callers take turns (fair-gate.ts): a flood from one source delays everyone else by one hash per
 * turn.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { Problem } from '../../../platform/http/problem.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';

/** How much work a hash is. */
export interface PasswordCost {
  memoryKib: number;
  passes: number;
}

const COST: PasswordCost = { memoryKib: 47_104, passes: 1 };
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const VERSION = 19;
/** Stored parameters above these are refused: a row that was tampered with must not stall the server. */
const MAX_MEMORY_KIB = 262_144;
const MAX_PASSES = 10;

const PHC =
  /^\$argon2id\$v=(\d+)\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
  nonce: Buffer;
  tagLength: number;
}

/** Computes a hash of `message`. */
export type Derive = (parameters: Parameters & { message: Buffer }) => Promise<Buffer>;

const compute = promisify(argon2);
const argon2id: Derive = (parameters) => compute('argon2id', parameters);

export interface PasswordHasher {
  /**
   * @param path keys for fair queueing, from the widest to the narrowest (fair-gate.ts)
   * @param signal ends the wait for the turn
   * @throws Problem unavailable if too many are waiting and this path has the most of them; the reason of `signal`
   */
  hash(password: string, path: readonly string[], signal?: AbortSignal): Promise<string>;
  /**
   * False for a hash of another form, too.
   * @param path as of `hash`, as is `signal` @throws as `hash` does
   */
  verify(stored: string, password: string, path: readonly string[], signal?: AbortSignal): Promise<boolean>;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Normalizes a password, so that the same password typed on another keyboard has the same bytes. */
const normalized = (password: string): Buffer => Buffer.from(password.normalize('NFKC'), 'utf8');

function parse(stored: string): (Parameters & { expected: Buffer }) | null {
  const match = PHC.exec(stored);
  if (!match) return null;
  const [version, memory, passes, parallelism] = match.slice(1, 5).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const [nonce, expected] = [Buffer.from(match[5]!, 'base64'), Buffer.from(match[6]!, 'base64')];
  if (version !== VERSION || memory > MAX_MEMORY_KIB || passes > MAX_PASSES || memory < 8 * parallelism)
    return null;
  return { memory, passes, parallelism, nonce, tagLength: expected.length, expected };
}

const refuse = (): Problem =>
  new Problem('unavailable', 'Too many passwords are being checked. Try again shortly.', {
    headers: { 'retry-after': '2' },
  });

const AT_ONCE = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)));
const WAITING = 60;
/** As many wrong passwords as one email may have from one address or device (attempts.ts): more would be in vain. */
const WAITING_PER_PATH = 10;

/**
 * @param options `cost` of new hashes; how many run `atOnce`; the index of the person in
 * paths, `personAt`, by default 1, because the first key is not of a caller (hash-path.ts); and how many more may be `waiting` in all and under one
 * path; for tests, what computes a hash
 */
export function createPasswordHasher({
  atOnce = AT_ONCE,
  personAt = 1,
  waiting = WAITING,
  waitingPerPath = WAITING_PER_PATH,
  cost = COST,
  derive = argon2id,
}: {
  atOnce?: number;
  personAt?: number;
  waiting?: number;
  waitingPerPath?: number;
  cost?: PasswordCost;
  derive?: Derive;
} = {}): PasswordHasher {
  const gate = createFairGate({
    capacity: atOnce,
    personAt,
    maxWaiting: waiting,
    maxWaitingPerPath: waitingPerPath,
    refuse,
  });
  const computeInTurn = (
    password: string,
    path: readonly string[],
    signal: AbortSignal | undefined,
    parameters: Parameters,
  ): Promise<Buffer> => gate(path, () => derive({ ...parameters, message: normalized(password) }), signal);
  return {
    async hash(password, path, signal) {
      const nonce = randomBytes(SALT_BYTES);
      const tag = await computeInTurn(password, path, signal, {
        memory: cost.memoryKib,
        passes: cost.passes,
        parallelism: LANES,
        nonce,
        tagLength: HASH_BYTES,
      });
      return `$argon2id$v=${VERSION}$m=${cost.memoryKib},t=${cost.passes},p=${LANES}$${base64(nonce)}$${base64(tag)}`;
    },
    async verify(stored, password, path, signal) {
      const parsed = parse(stored);
      if (!parsed) return false;
      const { expected, ...parameters } = parsed;
      return timingSafeEqual(await computeInTurn(password, path, signal, parameters), expected);
    },
  };
}
