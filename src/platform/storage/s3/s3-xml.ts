/**
 * The subset of S3's XML that is needed: flat elements without attributes. Unknown elements are ignored; a response
 * that is not a listing is an error.
 */

export interface S3Object {
  key: string;
  modifiedAt: Date;
}

export interface S3Listing {
  objects: S3Object[];
  /** Gives the next page; null after the last. */
  nextToken: string | null;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_SAID = 200;

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });

const encode = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function toElement(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml);
  return found ? decode(found[1]!) : null;
}

const toElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner]) => inner!);

/** Code and message of an error, in a line; empty where it tells none. */
export function readErrorMessage(xml: string): string {
  const said = [toElement(xml, 'Code'), toElement(xml, 'Message')].filter(Boolean).join(': ');
  return said.replace(/\s+/g, ' ').slice(0, MAX_SAID);
}

/** @param prefix that all keys have; it is taken off. @throws Error where it is no listing */
export function readListing(xml: string, prefix: string): S3Listing {
  if (!xml.includes('<ListBucketResult')) throw new Error('the store answered something else than a listing');
  const objects = toElements(xml, 'Contents').flatMap((one) => {
    const key = toElement(one, 'Key');
    const modifiedAt = new Date(toElement(one, 'LastModified') ?? '');
    return key?.startsWith(prefix) && !Number.isNaN(modifiedAt.getTime())
      ? [{ key: key.slice(prefix.length), modifiedAt }]
      : [];
  });
  if (toElement(xml, 'IsTruncated') !== 'true') return { objects, nextToken: null };
  const nextToken = toElement(xml, 'NextContinuationToken');
  if (!nextToken) throw new Error('the store tells of more objects, and not how to get them');
  return { objects, nextToken };
}

export const writeDelete = (keys: string[]): string =>
  `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${keys
    .map((key) => `<Object><Key>${encode(key)}</Key></Object>`)
    .join('')}</Delete>`;

/** Errors of objects that could not be deleted. */
export const readDeleteErrors = (xml: string): string[] =>
  toElements(xml, 'Error')
    .filter((error) => toElement(error, 'Code') !== 'NoSuchKey')
    .map(readErrorMessage);
