import { expect, test } from 'vitest';
import type { Contact } from '../../api/types.ts';
import { pairsOf } from '../../patterns/form/metadata.ts';
import { bodyOf, changeOf, contactFormOf, newIdentity } from './contact-form.ts';

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
    bodyOf({ name: ' Alice ', avatar_url: '', identities, metadata: pairsOf({ team: 'growth' }) }),
  ).toEqual({
    name: 'Alice',
    identities: [{ instance_id: 'ins_1', address: 'alice' }],
    metadata: { team: 'growth' },
  });
  expect(bodyOf({ name: ' ', avatar_url: '', identities: [], metadata: [] })).toEqual({});
});

test('changes only what differs', () => {
  const form = contactFormOf(CONTACT);
  expect(changeOf(form, CONTACT)).toEqual({});
  expect(changeOf({ ...form, name: '' }, CONTACT)).toEqual({ name: null });
  expect(changeOf({ ...form, metadata: [] }, CONTACT)).toEqual({ metadata: {} });
  expect(changeOf({ ...form, identities: [] }, CONTACT)).toEqual({ identities: [] });
  expect(changeOf({ ...form, avatar_url: 'example.com/a.png' }, CONTACT)).toEqual({
    avatar_url: 'https://example.com/a.png',
  });
});
