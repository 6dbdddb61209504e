/**
 * Bounds the memory that model calls take while they wait, in this process. A call may wait for ten minutes, so a few
 * persons could otherwise fill the memory with calls to a provider that never responds.
 */
import { totalmem } from 'node:os';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import { createFairRoom } from '../../../platform/limits/fair-room.ts';
import { Problem } from '../../../platform/http/problem.ts';

const MIB = 1024 * 1024;
/** The body as received and as sent. */
const COPIES = 2;
/** Memory of a call besides its body: two connections with their buffers, and the objects of the call. */
const CALL_BYTES = 128 * 1024;
/** Of the machine's memory. */
const SHARE = 1 / 4;

export interface CallMemory {
  /**
   * Holds the memory of a call for the person to whom its workspace belongs. A person's share shrinks with the number
   * of persons that hold some.
   * @param bytes size of its body
   * @returns a function that releases it
   * @throws Problem rate_limited if the person's share is in use
   */
  hold(workspaceId: string, bytes: number): Promise<() => void>;
}

const MIN_TOTAL = 128 * MIB;
const MAX_TOTAL = 1024 * MIB;
/** Of the total, left for persons with few calls. */
const RESERVE = 1 / 2;
const RESERVE_EACH = 4 * MIB;

function getTotal(): number {
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return Math.min(MAX_TOTAL, Math.max(MIN_TOTAL, memory * SHARE));
}

/** @param total bytes of all calls together */
export function createCallMemory(getPerson: GetPerson, total = getTotal()): CallMemory {
  const room = createFairRoom(total, { total: total * RESERVE, each: RESERVE_EACH });
  return {
    async hold(workspaceId, bytes) {
      const person = await getPerson(workspaceId);
      const amount = COPIES * bytes + CALL_BYTES;
      if (!room.has(person, amount))
        throw new Problem(
          'rate_limited',
          'Your model calls in progress use all memory that is available to them. Wait for their responses.',
          { headers: { 'retry-after': '5' } },
        );
      room.hold(person, amount);
      return () => room.release(person, amount);
    },
  };
}
