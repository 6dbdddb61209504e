import { expect, test } from 'vitest';
import { createCallMemory } from './call-memory.ts';

const MIB = 1024 * 1024;
const full = expect.objectContaining({ code: 'rate_limited', headers: { 'retry-after': '5' } });

/**
 * Holds calls of a person, each in its own workspace, until no more fit.
 * @returns their number
 */
async function fill(memory: ReturnType<typeof createCallMemory>, person: string, bytes: number) {
  const held: (() => void)[] = [];
  for (let n = 0; n < 10_000; n++) {
    try {
      held.push(await memory.hold(`${person} ${n % 6}`, bytes));
    } catch (error) {
      expect(error).toEqual(full);
      break;
    }
  }
  return held;
}

test.each([1, 2, 4, 16])('calls of %i persons that never end leave memory to another', async (attackers) => {
  const memory = createCallMemory(async (workspaceId) => workspaceId.split(' ')[0]!, 256 * MIB);
  const held = [];
  for (let n = 0; n < attackers; n++) held.push(await fill(memory, `a${n}`, MIB));
  const taken = held.flat().length * (2 * MIB + 128 * 1024);
  expect(taken).toBeLessThan(256 * MIB);
  expect(taken).toBeGreaterThanOrEqual(90 * MIB);
  const own = await fill(memory, 'victim', 64 * 1024);
  expect(own.length).toBeGreaterThanOrEqual(16);
  for (const release of held.flat()) release();
  // All of their memory was released.
  expect(await fill(memory, 'b', MIB)).not.toHaveLength(0);
});

test('a thousand small calls of one person wait together', async () => {
  const memory = createCallMemory(async (workspaceId) => workspaceId, 512 * MIB);
  const held = await Promise.all(Array.from({ length: 1_000 }, () => memory.hold('a', 4_096)));
  expect(held).toHaveLength(1_000);
});
