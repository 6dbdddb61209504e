/**
 * A contact that is being erased: the IDs and addresses that identify it. Mentions of its name in free text cannot be
 * found.
 */
import { publicId } from '../../vocabulary/ids.ts';
import { getEncodedVariants } from './encoded-variants.ts';

export interface PersonAddress {
  instance_id: string;
  address: string;
}

/** IDs are in the database format. */
export interface ErasedPerson {
  workspaceId: string;
  erasureId: string;
  /** The contact's ID, and those of contacts merged into it. */
  contactIds: string[];
  /** Its direct chats. */
  chatIds: string[];
  identities: PersonAddress[];
  /** Later messages from its address belong to someone else. */
  erasedAt: Date;
}

/** Values that texts are compared with. IDs are in public format. */
export interface PersonalData {
  ids: ReadonlySet<string>;
  /** Address → instances on which it was the person's. */
  addresses: ReadonlyMap<string, ReadonlySet<string>>;
  /** Addresses that identify the person wherever they occur in a text. */
  writings: readonly Writings[];
}

/** An address in all its writings. */
interface Writings {
  /** A part of the address that most encodings leave unchanged; null if there is none. */
  solid: string | null;
  /** The variants that contain this part, starting with the unencoded address. */
  plain: readonly string[];
  /** Those in which every character is escaped. */
  disguised: readonly string[];
}

/** Beyond so many chats they are found by the contact alone. */
const MAX_CHATS = 500;

/** Shorter addresses may be words of any text. */
const MIN_DISTINCTIVE = 8;
/** A server that sends messages itself (XMPP): its name occurs in many texts and in addresses of others. */
const HOST_NAME = /^[^@\s]+\.[^@\s.]+$/;

const isDistinctive = (address: string): boolean =>
  address.length >= MIN_DISTINCTIVE && !HOST_NAME.test(address);

/** Parts that every encoded variant has, as a pattern for text and as LIKE patterns for JSON. */
const DISGUISED = /&#|(?:%(?:25)?[0-9a-f]{2}){3}|\\u00/i;
const DISGUISED_JSON = [
  '%&#%',
  String.raw`%\%__\%__\%__%`,
  String.raw`%\%25__\%25__\%25__%`,
  String.raw`%\\\\u00%`,
];

const getLongest = (text: string, runs: RegExp): string | null =>
  text.match(runs)?.toSorted((a, b) => b.length - a.length)[0] ?? null;

/** Prefers the person's own part of the address to the server's, which many people share. */
const getSolidPart = (address: string): string | null =>
  getLongest(address.split('@')[0]!, /[A-Za-z0-9]{4,}/g) ?? getLongest(address, /[A-Za-z0-9]{4,}/g);

function writingsOfAddress(address: string): Writings {
  const solid = getSolidPart(address);
  const all = getEncodedVariants(address);
  if (solid === null) return { solid, plain: all, disguised: [] };
  return {
    solid,
    plain: all.filter((one) => one.includes(solid)),
    disguised: all.filter((one) => !one.includes(solid)),
  };
}

export function getPersonalData({
  contactIds,
  chatIds,
  identities,
}: Pick<ErasedPerson, 'contactIds' | 'chatIds' | 'identities'> & Partial<ErasedPerson>): PersonalData {
  const addresses = new Map<string, Set<string>>();
  for (const { instance_id: instanceId, address } of identities) {
    const instances = addresses.get(address) ?? new Set();
    addresses.set(address, instances.add(publicId('instance', instanceId)));
  }
  return {
    ids: new Set([
      ...contactIds.map((id) => publicId('contact', id)),
      ...chatIds.slice(0, MAX_CHATS).map((id) => publicId('chat', id)),
    ]),
    addresses,
    writings: [...addresses.keys()].filter(isDistinctive).map(writingsOfAddress),
  };
}

/** Returns the same without addresses, for data written after the erasure, when they may belong to another person. */
export const idsAlone = ({ ids }: PersonalData): PersonalData => ({
  ids,
  addresses: new Map(),
  writings: [],
});

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

const wholeValues = (values: readonly string[]): string[] =>
  values.map((value) => `%${escaped(JSON.stringify(value))}%`);

/** Returns LIKE patterns, one of which matches every JSON text with one of the values as a whole value. */
export const getPatterns = ({ ids, addresses }: Pick<PersonalData, 'ids' | 'addresses'>): string[] =>
  wholeValues([...ids, ...addresses.keys()]);

const anywhere = (text: string): string => `%${escaped(JSON.stringify(text).slice(1, -1))}%`;

/** Returns shorter addresses, and those with an unencoded `+` in a form, which is read as a space. */
const getWholeValues = (addresses: PersonalData['addresses']): string[] =>
  wholeValues([
    ...[...addresses.keys()].filter((address) => !isDistinctive(address)),
    ...[...addresses.keys()].flatMap((one) => (one.includes('+') ? [one.replaceAll('+', ' ')] : [])),
  ]);

/** Patterns of LIKE for texts of JSON that hold one of them anywhere, or have a shorter one as a whole value. */
export const getLoosePatterns = ({ ids, addresses, writings }: PersonalData): string[] => [
  ...[...ids, ...writings.flatMap(({ plain, disguised }) => [...plain, ...disguised])].map(anywhere),
  ...getWholeValues(addresses),
];

/**
 * Returns fewer patterns that match every text matched by `getLoosePatterns`, and others. Comparing with them first
 * avoids most comparisons with all patterns.
 */
export function getPrefilterTerms({ ids, addresses, writings }: PersonalData): string[] {
  const solid = new Set(writings.flatMap((one) => one.solid ?? []));
  const whole = writings.flatMap((one) => (one.solid === null ? one.plain : []));
  const rest = getWholeValues(addresses).filter((one) => ![...solid].some((part) => one.includes(part)));
  return [...[...solid, ...ids, ...whole].map(anywhere), ...rest, ...(writings.length ? DISGUISED_JSON : [])];
}

/** Returns whether a text is one of the addresses, or contains one that identifies the person anywhere. */
export function isMentionedIn(text: string, { ids, addresses, writings }: PersonalData): boolean {
  if (ids.has(text) || addresses.has(text)) return true;
  const holds = (word: string): boolean => text.includes(word);
  const mayBeDisguised = DISGUISED.test(text);
  return (
    [...ids].some(holds) ||
    writings.some(
      ({ solid, plain, disguised }) =>
        ((solid === null || holds(solid)) && plain.some(holds)) || (mayBeDisguised && disguised.some(holds)),
    )
  );
}
