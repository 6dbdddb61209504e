/** The people chosen in a form: contacts, and addresses as entered. */
import type { ParticipantsChange } from '../../api/groups.ts';
import type { Contact } from '../../api/types.ts';
import { contactName } from '../contacts/contact-text.ts';

export interface Person {
  /** Null for an address. */
  contactId: string | null;
  /** As entered, or the contact's address on the channel. */
  address: string;
  name: string;
}

export const getPerson = (address: string): Person => ({ contactId: null, address, name: address });

/** Returns null if the contact has no address on the instance. */
export function contactPerson(contact: Contact, instanceId: string): Person | null {
  const identity = contact.identities.find((one) => one.instance_id === instanceId);
  return identity ? { contactId: contact.id, address: identity.address, name: contactName(contact) } : null;
}

/** Splits a pasted list. Addresses contain none of these separators. */
export const getAddresses = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

export const withPeople = (before: readonly Person[], more: readonly Person[]): Person[] => {
  const known = new Set(before.map(({ address }) => address.toLowerCase()));
  return [
    ...before,
    ...more.filter(({ address }) => !known.has(address.toLowerCase()) && known.add(address.toLowerCase())),
  ];
};

/** Returns the participants for a request body. */
export const getParticipants = (people: readonly Person[]): ParticipantsChange['participants'] =>
  people.map(({ contactId, address }) => (contactId === null ? { address } : { contact_id: contactId }));
