import { expect, test } from 'vitest';
import { normaliseAddress } from '../http/address.ts';
import { toRecipientAddress } from './recipient.ts';

const chat = { kind: 'direct', key: 'ada', address: 'ada' } as const;

test('a response that names the recipient by another address says so', () => {
  expect(toRecipientAddress(chat, ' ada.l ', normaliseAddress)).toEqual({ address: 'ada.l' });
});

test('nothing else does, and nothing fails', () => {
  for (const given of ['ada', ' ada ', '', 'a\0b', null, undefined, 5, {}])
    expect(toRecipientAddress(chat, given, normaliseAddress)).toEqual({});
  expect(toRecipientAddress({ ...chat, kind: 'group' }, 'ada.l', normaliseAddress)).toEqual({});
});
