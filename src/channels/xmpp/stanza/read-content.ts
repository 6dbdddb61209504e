/**
 * Reads a message's content: its text without fallbacks for older clients, files, and a location. Text is never
 * interpreted as markup.
 */
import type { Element } from '@xmpp/xml';
import type { Json } from '../../contract/json.ts';
import { getChild, getChildren, ownText } from './elements.ts';
import { NS } from './namespaces.ts';
import { getCaption, readFiles, type SharedFile } from './read-files.ts';
import { boundedText, type Range, without } from './text.ts';

const MAX_FALLBACKS = 16;
const MAX_PLACE = 1_000;

export interface ReadContent {
  text: string | null;
  files: SharedFile[];
  /** The data of a message of type `location`. */
  location: Json;
}

/** Returns the ranges of the body that are a fallback for `what`; null for the whole body. */
function fallbackRanges(stanza: Element, what: readonly string[]): Range[] | null {
  const fallbacks = [NS.fallback, NS.oldFallback].flatMap((namespace) =>
    getChildren(stanza, 'fallback', namespace, MAX_FALLBACKS).map((element) => ({ element, namespace })),
  );
  const ranges: Range[] = [];
  for (const { element, namespace } of fallbacks) {
    if (!what.includes(String(element.attrs['for']))) continue;
    const places = getChildren(element, 'body', namespace, MAX_FALLBACKS);
    if (!places.length && !getChild(element, 'subject', namespace)) return null;
    for (const { attrs } of places) {
      if (attrs['start'] === undefined && attrs['end'] === undefined) return null;
      const [start, end] = [Number(attrs['start']), Number(attrs['end'])];
      if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end > start)
        ranges.push([start, end]);
    }
  }
  return ranges;
}

const number = (text: string | null, max: number): number | null => {
  const trimmed = text?.trim() ?? '';
  if (!/^[+-]?\d{1,3}(?:\.\d{1,20})?$/.test(trimmed)) return null;
  const value = Number(trimmed);
  return Math.abs(value) <= max ? value : null;
};

const GEO = /^geo:([+-]?[\d.]{1,24}),([+-]?[\d.]{1,24})(?:,[+-]?[\d.]{1,24})?(?:[;?][\w.=%,;&+-]{0,200})?$/i;

function place(
  latitude: string | null,
  longitude: string | null,
  about: { name: string | null; address: string | null },
): Json {
  const [north, east] = [number(latitude, 90), number(longitude, 180)];
  return north === null || east === null ? null : { latitude: north, longitude: east, ...about };
}

/** Reads a location from XEP-0080, or from a body that consists of a `geo:` URI. */
function readLocation(stanza: Element, body: string): Json {
  const link = GEO.exec(body.trim());
  const geoloc = getChild(stanza, 'geoloc', NS.geoloc);
  if (geoloc && (link || body.trim() === '')) {
    const words = (name: string): string | null =>
      getChild(geoloc, name, NS.geoloc)?.getText().trim().slice(0, MAX_PLACE) || null;
    const [name, text] = [words('description'), words('text')];
    const about = name === null ? { name: text, address: words('street') } : { name, address: text };
    const found = place(words('lat'), words('lon'), about);
    if (found !== null) return found;
  }
  return link ? place(link[1]!, link[2]!, { name: null, address: null }) : null;
}

/** Returns a text for encrypted messages whose client provides no fallback. */
function encryptedNotice(stanza: Element): string | null {
  const encryption = getChild(stanza, 'encryption', NS.encryption);
  const omemo = getChild(stanza, 'encrypted', NS.omemo);
  if (!encryption && !(omemo && getChild(omemo, 'payload', NS.omemo))) return null;
  const name = encryption ? String(encryption.attrs['name'] ?? '').replaceAll(/[^\w .-]/g, '') : 'OMEMO';
  return name === '' ? '[Encrypted message]' : `[Encrypted message: ${name.slice(0, 40)}]`;
}

/** @returns null if there is no content by a person */
export function readContent(stanza: Element): ReadContent | null {
  const files = readFiles(stanza);
  const isReply = getChild(stanza, 'reply', NS.reply) !== null;
  const given = boundedText(ownText(stanza, 'body') ?? '');
  const ranges = fallbackRanges(stanza, [
    ...(isReply ? [NS.reply] : []),
    ...(files.length ? [NS.sfs, NS.sims, NS.oob] : []),
  ]);
  const body = ranges === null ? '' : without(given, ranges);
  const location = files.length ? null : readLocation(stanza, body);
  if (location !== null) return { text: null, files, location };
  if (files.length) return { text: getCaption(body, files), files, location };
  const text = body !== '' ? body : ownText(stanza, 'subject') || encryptedNotice(stanza);
  return text ? { text: boundedText(text), files, location } : null;
}
