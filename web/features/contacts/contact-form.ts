/** The form of a contact and the request bodies built from it. */
import type { ContactChange, NewContact } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { withScheme } from '../../design/addresses.ts';
import { isSameMetadata, getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

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

export function toBody(form: ContactForm): NewContact {
  const { name, avatar_url: avatar, identities, metadata } = toFields(form);
  return {
    ...(name !== null && { name }),
    ...(avatar !== null && { avatar_url: avatar }),
    ...(identities.length > 0 && { identities }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

const getKey = (identities: readonly Omit<IdentityRow, 'key'>[]): string =>
  JSON.stringify(identities.map(({ instance_id: id, address }) => [id, address]));

/** Returns the PATCH body: only what differs from the current contact. */
export function toChange(form: ContactForm, contact: Contact): ContactChange {
  const { name, avatar_url: avatar, identities, metadata } = toFields(form);
  return {
    ...(name !== contact.name && { name }),
    ...(avatar !== contact.avatar_url && { avatar_url: avatar }),
    ...(getKey(identities) !== getKey(contact.identities) && { identities }),
    ...(!isSameMetadata(metadata, contact.metadata) && { metadata }),
  };
}
