/**
 * A contact that is being erased, as everything that may hold something of it is told: by which ids and addresses it is
 * known. What merely names it in words cannot be found.
 */
import { publicId } from '../../http/ids.ts';

export interface PersonAddress {
  instance_id: string;
  address: string;
}

/** Ids are those of the database. */
export interface ErasedPerson {
  workspaceId: string;
  erasureId: string;
  /** Its own, and those of contacts that were merged into it. */
  contactIds: string[];
  /** Its direct chats. */
  chatIds: string[];
  identities: PersonAddress[];
  /** Whoever writes from its address later is somebody else. */
  erasedAt: Date;
}

/** What texts are compared with; ids are public ones. */
export interface Traces {
  ids: ReadonlySet<string>;
  /** Address → instances on which it was the person's. */
  addresses: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Beyond so many chats they are found by the contact alone. */
const MOST_CHATS = 500;

export function tracesOf({ contactIds, chatIds, identities }: ErasedPerson): Traces {
  const addresses = new Map<string, Set<string>>();
  for (const { instance_id: instanceId, address } of identities) {
    const instances = addresses.get(address) ?? new Set();
    addresses.set(address, instances.add(publicId('instance', instanceId)));
  }
  return {
    ids: new Set([
      ...contactIds.map((id) => publicId('contact', id)),
      ...chatIds.slice(0, MOST_CHATS).map((id) => publicId('chat', id)),
    ]),
    addresses,
  };
}

/** The same without addresses: for what was written after the erasure, when they may be somebody else's. */
export const idsAlone = ({ ids }: Traces): Traces => ({ ids, addresses: new Map() });

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** Patterns of LIKE, one of which fits every text of JSON that has one of them as a whole value. */
export const patternsOf = ({ ids, addresses }: Traces): string[] =>
  [...ids, ...addresses.keys()].map((value) => `%${escaped(JSON.stringify(value))}%`);

/** Shorter addresses may be words of any text. */
const LEAST_DISTINCTIVE = 8;
/** A server that writes by itself (XMPP): its name stands in many a text, and in addresses of others. */
const HOST_NAME = /^[^@\s]+\.[^@\s.]+$/;

/** What shows by itself, wherever it stands in a text, that the person is meant. */
export const distinctive = ({ ids, addresses }: Traces): string[] => [
  ...ids,
  ...[...addresses.keys()].filter(
    (address) => address.length >= LEAST_DISTINCTIVE && !HOST_NAME.test(address),
  ),
];

/** Patterns of LIKE for texts that hold one of them anywhere, beside those of `patternsOf`. */
export const loosePatternsOf = (traces: Traces): string[] => [
  ...patternsOf(traces),
  ...distinctive(traces).map((value) => `%${escaped(JSON.stringify(value).slice(1, -1))}%`),
];

/** Whether a text is one of them, or holds one that shows by itself. */
export function isNamedIn(text: string, traces: Traces): boolean {
  if (traces.ids.has(text) || traces.addresses.has(text)) return true;
  return distinctive(traces).some((value) => text.includes(value));
}
