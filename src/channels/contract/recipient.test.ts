import { expect, test } from 'vitest';
import { normalizeAddress } from '../http/address.ts';
import { toRecipientAddress } from './recipient.ts';

const chat = { kind: 'direct', key: 'ada', address: 'ada' } as const;

test('returns the address if the response names the recipient by another one', () => {
  expect(toRecipientAddress(chat, ' ada.l ', normalizeAddress)).toEqual({ address: 'ada.l' });
});

test('returns nothing for the same address, invalid values and groups', () => {
  for (const given of ['ada', ' ada ', '', 'a\0b', null, undefined, 5, {}])
    expect(toRecipientAddress(chat, given, normalizeAddress)).toEqual({});
  expect(toRecipientAddress({ ...chat, kind: 'group' }, 'ada.l', normalizeAddress)).toEqual({});
});
