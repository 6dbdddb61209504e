/** The form of a contact and the request bodies built from it. */
import type { Contact } from '../../api/types.ts';
import { withScheme } from '../../design/addresses.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

interface IdentityRow {
  /** Identifies the row while it is edited. */
  key: number;
  instance_id: string;
  address: string;
}

export interface ContactForm {
  name: string;
  avatar_url: string;
  identities: IdentityRow[];
  metadata: MetadataPair[];
}

let lastKey = 0;
export const newIdentity = (one: Omit<IdentityRow, 'key'>): IdentityRow => ({ ...one, key: ++lastKey });

export const toContactForm = (contact: Contact | null): ContactForm => ({
  name: contact?.name ?? '',
  avatar_url: contact?.avatar_url ?? '',
  identities: contact?.identities.map(newIdentity) ?? [],
  metadata: toPairs(contact?.metadata),
});

const toFields = (form: ContactForm) => ({
  name: form.name.trim() || null,
  avatar_url: withScheme(form.avatar_url) || null,
  identities: form.identities
    .map(({ instance_id: id, address }) => ({ instance_id: id, address: address.trim() }))
    .filter(({ address }) => address !== ''),
  metadata: getMetadata(form.metadata),
});

/** Returns the body of a new contact, without empty fields. */
export const toBody = (form: ContactForm) =>
  changes(toFields(form), { name: null, avatar_url: null, identities: [], metadata: {} });

/** Returns the PATCH body: only what differs from the current contact. */
export const toChange = (form: ContactForm, contact: Contact) =>
  changes(toFields(form), {
    ...contact,
    identities: contact.identities.map(({ instance_id: id, address }) => ({ instance_id: id, address })),
  });
