/** One way to write an address. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidAddressError } from '../../../src/channels/contract/driver-error.ts';
import type { World } from './world.ts';

export function describeAddresses(get: () => World): void {
  describe('addresses', () => {
    const normalize = (address: string): string => {
      const { driver } = get().harness;
      return driver.normalizeAddress(address, {});
    };

    test('are written in one way, and what is written so stays so', () => {
      const { harness } = get();
      const near = fc.constantFrom(...harness.sameAddresses.flat(), ...harness.badAddresses);
      // Halves of characters too. (fast-check's own strings of Unicode take seconds to be made.)
      const wild = fc
        .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 12 })
        .map((points) => String.fromCodePoint(...points));
      const mixed = fc.tuple(near, wild).map((parts) => parts.join(''));
      const any = fc.oneof(wild, near, mixed, fc.string());
      fc.assert(
        fc.property(any, (address) => {
          let written;
          try {
            written = normalize(address);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidAddressError);
            return;
          }
          expect(normalize(written)).toBe(written);
          // Nothing in it ends a line of a protocol, or a string of C.
          // oxlint-disable-next-line eslint/no-control-regex -- they are what must not be there
          expect(written).not.toMatch(/[\u0000-\u001f\u007f]/);
        }),
        { numRuns: 1_000 },
      );
    });

    test('that mean the same become the same', () => {
      const { sameAddresses } = get().harness;
      expect(sameAddresses).not.toHaveLength(0);
      for (const [one, other] of sameAddresses) expect(normalize(one)).toBe(normalize(other));
    });

    test('that can be none are refused', () => {
      const { badAddresses } = get().harness;
      for (const address of ['', ' ', ...badAddresses])
        expect(() => normalize(address), JSON.stringify(address)).toThrow(InvalidAddressError);
    });
  });
}
