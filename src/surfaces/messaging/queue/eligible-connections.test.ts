import { expect, test } from 'vitest';
import type { Claimed } from './claim.system-store.ts';
import type { ConnectionSlot } from './connection-slot.ts';
import { chooseEligibleConnections } from './eligible-connections.ts';

const CAPACITY = 2_000;
const MAX_CLAIMED = 500;

function newSlot(instanceId: string, person: string): ConnectionSlot {
  return {
    held: {
      instanceId,
      capabilities: { pacing: { concurrency: 100 } },
      signal: new AbortController().signal,
      isHeld: () => true,
    },
    person,
    pace: { available: () => Infinity, wait: () => null },
    claimed: new Map(),
    isRecovered: true,
    isClaiming: false,
    nextScanAt: Number.NEGATIVE_INFINITY,
    retries: [],
    busy: null,
    onDrained: null,
  } as unknown as ConnectionSlot;
}

test.each([1, 2, 4, 16])(
  'hung sends of %i persons with sixty connections each leave room for another person',
  (attackers) => {
    const all = Array.from({ length: attackers * 60 }, (_, n) => newSlot(`i${n}`, `a${n % attackers}`));
    const slots = new Map(all.map((slot) => [slot.held.instanceId, slot]));
    const getActive = () => all.reduce((sum, { claimed }) => sum + claimed.size, 0);
    const claimAll = (): void => {
      for (const { slot, free } of chooseEligibleConnections(slots, [], CAPACITY, MAX_CLAIMED))
        for (let n = 0; n < free; n++)
          slot.claimed.set(`${slot.held.instanceId} ${slot.claimed.size}`, {} as Claimed);
    };
    for (let before = -1; before < getActive();) {
      before = getActive();
      claimAll();
    }
    expect(getActive()).toBeGreaterThanOrEqual(CAPACITY / 2 - 1);
    expect(getActive()).toBeLessThanOrEqual(CAPACITY * 0.75 + attackers);
    const victim = newSlot('victim', 'victim');
    slots.set('victim', victim);
    const chosen = chooseEligibleConnections(slots, [], CAPACITY, MAX_CLAIMED);
    expect(chosen.find(({ slot }) => slot === victim)?.free).toBeGreaterThanOrEqual(8);
  },
);
