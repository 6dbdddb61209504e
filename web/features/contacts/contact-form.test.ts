import { expect, test } from 'vitest';
import type { Contact } from '../../api/types.ts';
import { toPairs } from '../../patterns/form/metadata.ts';
import { toBody, toChange, toContactForm, newIdentity } from './contact-form.ts';

const CONTACT = {
  id: 'con_1',
  name: 'Alice',
  avatar_url: null,
  identities: [{ instance_id: 'ins_1', address: 'alice' }],
  metadata: { team: 'growth' },
} as unknown as Contact;

test('creates a contact without empty fields', () => {
  const identities = [
    { instance_id: 'ins_1', address: ' alice ' },
    { instance_id: 'ins_1', address: ' ' },
  ].map(newIdentity);
  expect(
    toBody({ name: ' Alice ', avatar_url: '', identities, metadata: toPairs({ team: 'growth' }) }),
  ).toEqual({
    name: 'Alice',
    identities: [{ instance_id: 'ins_1', address: 'alice' }],
    metadata: { team: 'growth' },
  });
  expect(toBody({ name: ' ', avatar_url: '', identities: [], metadata: [] })).toEqual({});
});

test('changes only what differs', () => {
  const form = toContactForm(CONTACT);
  expect(toChange(form, CONTACT)).toEqual({});
  expect(toChange({ ...form, name: '' }, CONTACT)).toEqual({ name: null });
  expect(toChange({ ...form, metadata: [] }, CONTACT)).toEqual({ metadata: {} });
  expect(toChange({ ...form, identities: [] }, CONTACT)).toEqual({ identities: [] });
  expect(toChange({ ...form, avatar_url: 'example.com/a.png' }, CONTACT)).toEqual({
    avatar_url: 'https://example.com/a.png',
  });
});
