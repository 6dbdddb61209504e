/**
 * Limits the memory that large request bodies take in this process. A model call may have 32 MiB, which take about
 * three times that while being read; without a limit, a hundred calls with one key could exhaust the memory. A declared
 * length counts from the first byte; otherwise, and for compressed bodies, the whole limit counts.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

const MIB = 1024 * 1024;
/** Smaller ones are not counted. */
const COUNTED_FROM = MIB;

export interface LargeBodies {
  /**
   * @returns gives the room back.
   * @throws Problem rate_limited where this owner has its share in flight, unavailable where all is taken
   */
  reserve(owner: string, bytes: number): () => void;
}

export function createLargeBodies(mostEach = 96 * MIB, mostInAll = 256 * MIB): LargeBodies {
  const held = new Map<string, number>();
  let inAll = 0;
  return {
    reserve(owner, bytes) {
      const own = held.get(owner) ?? 0;
      const later = { headers: { 'retry-after': '1' } };
      if (own + bytes > mostEach)
        throw new Problem(
          'rate_limited',
          'Too many concurrent large requests. Wait for their responses.',
          later,
        );
      if (inAll + bytes > mostInAll)
        throw new Problem('unavailable', 'Too many large requests at this moment.', later);
      held.set(owner, own + bytes);
      inAll += bytes;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        inAll -= bytes;
        const left = held.get(owner)! - bytes;
        if (left > 0) held.set(owner, left);
        else held.delete(owner);
      };
    },
  };
}

/** A hook for operations that take more than usual; runs once the caller is known and before the body is read. */
export const holdLargeBody =
  (bodies: LargeBodies, bodyLimit: number) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const { 'content-length': announced, 'content-encoding': coding } = request.headers;
    const isKnown = announced !== undefined && coding === undefined;
    const bytes = isKnown ? Math.min(Number(announced), bodyLimit) : bodyLimit;
    if (bytes <= COUNTED_FROM) return done();
    const { actor } = request;
    const owner = actor && 'workspaceId' in actor ? actor.workspaceId : (actor?.id ?? request.ip);
    try {
      reply.raw.once('close', bodies.reserve(owner, bytes));
      done();
    } catch (error) {
      done(error as Error);
    }
  };
