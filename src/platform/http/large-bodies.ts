/**
 * Limits the memory that large request bodies take in this process. A model call may have 32 MiB, which take about
 * three times that while being read; without a limit, a hundred calls with one key could exhaust the memory. A body
 * counts by what has arrived of it, so that one that is announced and does not come takes nothing from others. One of
 * up to 1 MiB counts until it has arrived, a larger one until its response has ended.
 */
import { Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { createFairRoom } from '../limits/fair-room.ts';
import { Problem } from './problem.ts';

const MIB = 1024 * 1024;
/** Smaller ones are not counted. */
const COUNTED_FROM = 64 * 1024;
/** Larger ones count until the response, and may not trickle. Smaller ones have a minute to arrive. */
const LARGE = MIB;
/** A large body that sends less than this within a window is aborted, because it would hold memory. */
const WINDOW_MS = 10_000;
const MIN_IN_WINDOW = 128 * 1024;

/** The owner of a body; for strangers, both are addresses. */
export interface BodyOwner {
  person: string;
  workspace: string;
}

export interface LargeBodies {
  /** @throws Problem rate_limited where the workspace has its share in flight, unavailable where the person has */
  assertRoom(owner: BodyOwner, bytes: number): void;
  /** Holds room for bytes that have arrived. @throws as assertRoom */
  hold(owner: BodyOwner, bytes: number): void;
  release(owner: BodyOwner, bytes: number): void;
}

export function createLargeBodies(mostEach = 96 * MIB, mostInAll = 256 * MIB): LargeBodies {
  const ofWorkspaces = new Map<string, number>();
  const room = createFairRoom(mostInAll);
  const change = ({ person, workspace }: BodyOwner, bytes: number): void => {
    room.hold(person, bytes);
    const held = (ofWorkspaces.get(workspace) ?? 0) + bytes;
    if (held > 0) ofWorkspaces.set(workspace, held);
    else ofWorkspaces.delete(workspace);
  };
  const assertRoom: LargeBodies['assertRoom'] = ({ person, workspace }, bytes) => {
    const later = { headers: { 'retry-after': '1' } };
    if ((ofWorkspaces.get(workspace) ?? 0) + bytes > mostEach)
      throw new Problem(
        'rate_limited',
        'Too many concurrent large requests. Wait for their responses.',
        later,
      );
    if (!room.has(person, bytes))
      throw new Problem('unavailable', 'Too many large requests. Try again later.', later);
  };
  return {
    assertRoom,
    hold(owner, bytes) {
      assertRoom(owner, bytes);
      change(owner, bytes);
    },
    release: (owner, bytes) => change(owner, -bytes),
  };
}

/**
 * Counts what passes.
 * @param unpacked bytes that the body may have once it is unpacked; 0 if it is not packed
 * @param mayTrickle whether it may arrive slowly
 */
function createMeter(bodies: LargeBodies, owner: BodyOwner, unpacked: number, mayTrickle: boolean) {
  let arrived = 0;
  let held = 0;
  let arrivedBefore = 0;
  const holdUpTo = (bytes: number): void => {
    if (bytes <= COUNTED_FROM) return;
    bodies.hold(owner, bytes - held);
    held = bytes;
  };
  const attempt = (act: () => void, callback: (error?: Error | null) => void): void => {
    try {
      act();
      callback();
    } catch (error) {
      callback(error as Error);
    }
  };
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      arrived += chunk.length;
      attempt(() => {
        holdUpTo(arrived);
        meter.push(chunk);
      }, callback);
    },
    flush: (callback) =>
      attempt(() => {
        if (Math.max(unpacked, held) > LARGE) holdUpTo(Math.max(unpacked, held));
        else giveBack();
      }, callback),
  });
  const giveBack = (): void => {
    bodies.release(owner, held);
    held = 0;
  };
  const watchArrival = (): void => {
    if (arrived - arrivedBefore < MIN_IN_WINDOW)
      meter.destroy(new Problem('request_timeout', 'The body arrives too slowly.'));
    arrivedBefore = arrived;
  };
  const watch = mayTrickle ? undefined : setInterval(watchArrival, WINDOW_MS).unref();
  meter.once('end', () => clearInterval(watch)).once('close', () => clearInterval(watch));
  return {
    meter,
    release(): void {
      meter.destroy();
      giveBack();
    },
  };
}

/**
 * A hook that runs once the caller is known and before the body is read.
 * @param getOwner whom the body of a request counts for
 */
export const meterLargeBody =
  (bodies: LargeBodies, bodyLimit: number, getOwner: (request: FastifyRequest) => Promise<BodyOwner>) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): Promise<RequestPayload> => {
    const { 'content-length': announced, 'content-encoding': coding } = request.headers;
    if (announced === undefined && request.headers['transfer-encoding'] === undefined) return payload;
    const length = announced === undefined ? bodyLimit : Number(announced);
    const unpacked = coding !== undefined && bodyLimit > LARGE ? bodyLimit : 0;
    if (unpacked === 0 && length <= COUNTED_FROM) return payload;
    const owner = await getOwner(request);
    // Before it is sent, where it is known that there is no room for it.
    if (announced !== undefined || unpacked)
      bodies.assertRoom(owner, Math.min(bodyLimit, Math.max(length, unpacked)));
    const { meter, release } = createMeter(bodies, owner, unpacked, Math.max(length, unpacked) <= LARGE);
    reply.raw.once('close', release);
    payload.once('error', (error) => meter.destroy(error));
    return payload.pipe(meter);
  };
