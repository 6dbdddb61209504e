/** What is typed of a contact, and the calls that it makes. */
import type { ContactChange, NewContact } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';

export interface IdentityInput {
  instance_id: string;
  address: string;
}

export interface ContactForm {
  name: string;
  avatar_url: string;
  identities: IdentityInput[];
}

export const contactFormOf = (contact: Contact | null): ContactForm => ({
  name: contact?.name ?? '',
  avatar_url: contact?.avatar_url ?? '',
  identities: contact?.identities.map((one) => ({ ...one })) ?? [],
});

const typed = (form: ContactForm) => ({
  name: form.name.trim() || null,
  avatar_url: form.avatar_url.trim() || null,
  identities: form.identities
    .map(({ instance_id: id, address }) => ({ instance_id: id, address: address.trim() }))
    .filter(({ address }) => address !== ''),
});

export function bodyOf(form: ContactForm): NewContact {
  const { name, avatar_url: avatar, identities } = typed(form);
  return {
    ...(name !== null && { name }),
    ...(avatar !== null && { avatar_url: avatar }),
    ...(identities.length > 0 && { identities }),
  };
}

const keyOf = (identities: readonly IdentityInput[]): string =>
  JSON.stringify(identities.map(({ instance_id: id, address }) => [id, address]));

/** What differs from the contact as it is. */
export function changeOf(form: ContactForm, contact: Contact): ContactChange {
  const { name, avatar_url: avatar, identities } = typed(form);
  return {
    ...(name !== contact.name && { name }),
    ...(avatar !== contact.avatar_url && { avatar_url: avatar }),
    ...(keyOf(identities) !== keyOf(contact.identities) && { identities }),
  };
}
