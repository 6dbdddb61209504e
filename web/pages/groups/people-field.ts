/** Who is named in a form: contacts, and addresses as they were typed. */
import type { ParticipantsChange } from '../../api/groups.ts';
import type { Contact } from '../../api/types.ts';
import { contactName } from '../contacts/contact-text.ts';

export interface Person {
  /** null for an address. */
  contactId: string | null;
  /** As typed; of a contact, the one that it has on the channel. */
  address: string;
  name: string;
}

export const personOf = (address: string): Person => ({ contactId: null, address, name: address });

/** Null where the contact has no address on the channel. */
export function contactPerson(contact: Contact, instanceId: string): Person | null {
  const identity = contact.identities.find((one) => one.instance_id === instanceId);
  return identity ? { contactId: contact.id, address: identity.address, name: contactName(contact) } : null;
}

/** A pasted list is taken apart; addresses hold none of these. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

export const withPeople = (before: readonly Person[], more: readonly Person[]): Person[] => {
  const known = new Set(before.map(({ address }) => address.toLowerCase()));
  return [
    ...before,
    ...more.filter(({ address }) => !known.has(address.toLowerCase()) && known.add(address.toLowerCase())),
  ];
};

/** As the API takes them. */
export const participantsOf = (people: readonly Person[]): ParticipantsChange['participants'] =>
  people.map(({ contactId, address }) => (contactId === null ? { address } : { contact_id: contactId }));
