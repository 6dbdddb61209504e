/** What a mail consists of, told from its BODYSTRUCTURE: what is to be read of it, and which parts are files. */
import type { MessageStructureObject } from 'imapflow';
import mime from 'mime';

/** The limits hold against structures made to hurt; what exceeds them leaves a mark. */
const DEEPEST = 50;
const MAX_FILES = 100;
const MAX_TEXTS = 100;
/** Pictures that HTML embeds, up to this: logos in signatures, pixels that count readers. */
const ORNAMENT_BYTES = 20_000;
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
]);
/** The same text once more, for certain mail programs. */
const RENDITIONS = new Set(['text/x-amp-html', 'text/watch-html']);
const READABLE = new Set(['text/plain', 'text/html']);
/** What a read receipt says to programs; its first part says it to people. */
const OF_READ_RECEIPTS = new Set([
  'message/disposition-notification',
  'message/global-disposition-notification',
]);
/** Where the first of a type's extensions is not what people know. */
const EXTENSIONS: Record<string, string> = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'message/rfc822': 'eml',
};
/** A name for what has none, by its type. */
const STEMS: Record<string, string> = {
  'text/calendar': 'invite',
  'text/vcard': 'contact',
  'text/x-vcard': 'contact',
};

export interface FilePart {
  part: string;
  mimeType: string;
  fileName: string;
  /** Of its encoded form, as the server says. */
  encodedBytes: number;
}

export interface TextPart {
  kind: 'text';
  part: string;
  isHtml: boolean;
  /** Content-Transfer-Encoding, in lower case. */
  encoding: string;
  charset: string | null;
  /** format=flowed, and its DelSp. */
  isFlowed: boolean;
  deletesSpace: boolean;
}

/**
 * What is to be read. Of an alternative it is the first that has any text: they say the same (RFC 2046, 5.1.4), plain text
 * comes first, then what the writer likes best. `omitted` is what a limit left out.
 */
export type Body = TextPart | { kind: 'all' | 'alternative'; of: Body[] } | { kind: 'omitted' };

export interface MailParts {
  body: Body;
  files: FilePart[];
  /** Files beyond the most that are taken. */
  omittedFiles: number;
  /** It, or a mail within it, reports what became of another mail. */
  isDeliveryReport: boolean;
  /** It tells that somebody opened a mail (RFC 8098). */
  isReadReceipt: boolean;
}

interface Walk {
  files: FilePart[];
  omittedFiles: number;
  texts: number;
}

interface Place {
  depth: number;
  /** Where a mail's own text stands, be it named or not: not beside it, where lists put footers and people files. */
  isMain: boolean;
  isRelated: boolean;
}

export function readStructure(root: MessageStructureObject): MailParts {
  const walk: Walk = { files: [], omittedFiles: 0, texts: 0 };
  const body = visit(root, walk, { depth: 0, isMain: true, isRelated: false });
  return {
    body: body ?? { kind: 'all', of: [] },
    files: walk.files,
    omittedFiles: walk.omittedFiles,
    isDeliveryReport: hasReport(root, 'delivery-status', 0),
    isReadReceipt: isReport(root, 'disposition-notification'),
  };
}

/** No part of its own: then IMAP calls the text of the mail so. */
const getPart = (node: MessageStructureObject, isText: boolean): string =>
  node.part ?? (isText ? 'text' : '1');

const isReport = ({ type, parameters, childNodes }: MessageStructureObject, kind: string): boolean =>
  type === 'multipart/report' &&
  (parameters?.['report-type']?.toLowerCase() === kind ||
    (childNodes ?? []).some((child) => child.type.replace('/global-', '/') === `message/${kind}`));

/** Gateways put reports into a mail of their own. */
function hasReport(node: MessageStructureObject, kind: string, depth: number): boolean {
  if (depth > DEEPEST) return false;
  return isReport(node, kind) || (node.childNodes ?? []).some((child) => hasReport(child, kind, depth + 1));
}

function visit(node: MessageStructureObject, walk: Walk, place: Place): Body | null {
  if (node.type.startsWith('multipart/')) {
    if (place.depth >= DEEPEST) return { kind: 'omitted' };
    return node.type === 'multipart/alternative'
      ? visitAlternative(node, walk, place)
      : visitAll(node, walk, place);
  }
  return READABLE.has(node.type) && isBody(node, place)
    ? visitText(node, walk)
    : visitFile(node, walk, place);
}

function visitAll(
  node: MessageStructureObject,
  walk: Walk,
  { depth, isMain, isRelated }: Place,
): Body | null {
  const children = (node.childNodes ?? []).filter(({ type }) => !OF_READ_RECEIPTS.has(type));
  const of = children.flatMap(
    (child, index) =>
      visit(child, walk, {
        depth: depth + 1,
        isMain: isMain && index === 0,
        isRelated: isRelated || node.type === 'multipart/related',
      }) ?? [],
  );
  return of.length > 1 ? { kind: 'all', of } : (of[0] ?? null);
}

function visitAlternative(node: MessageStructureObject, walk: Walk, place: Place): Body | null {
  const variants = (node.childNodes ?? [])
    .filter(({ type }) => !RENDITIONS.has(type))
    .flatMap((child) => visit(child, walk, { ...place, depth: place.depth + 1 }) ?? []);
  const of = [
    ...variants.filter((variant) => !hasHtml(variant)),
    ...variants.filter(hasHtml).toReversed(), // the last is the best
  ];
  return of.length > 1 ? { kind: 'alternative', of } : (of[0] ?? null);
}

const hasHtml = (body: Body): boolean =>
  body.kind === 'text' ? body.isHtml : body.kind !== 'omitted' && body.of.some(hasHtml);

const isBody = (node: MessageStructureObject, { isMain }: Place): boolean =>
  node.disposition !== 'attachment' && (isMain || getGivenName(node) === null);

function visitText(node: MessageStructureObject, walk: Walk): Body {
  if (walk.texts >= MAX_TEXTS) return { kind: 'omitted' };
  walk.texts++;
  const { parameters = {} } = node;
  return {
    kind: 'text',
    part: getPart(node, true),
    isHtml: node.type === 'text/html',
    encoding: (node.encoding ?? '').trim().toLowerCase(),
    charset: parameters['charset']?.trim() || null,
    isFlowed: node.type === 'text/plain' && parameters['format']?.trim().toLowerCase() === 'flowed',
    deletesSpace: parameters['delsp']?.trim().toLowerCase() === 'yes',
  };
}

function visitFile(node: MessageStructureObject, walk: Walk, { isRelated }: Place): null {
  const size = node.size ?? 0;
  const isOrnament =
    isRelated && node.id !== undefined && node.type.startsWith('image/') && size < ORNAMENT_BYTES;
  if (isOrnament || SIGNATURES.has(node.type)) return null;
  if (walk.files.length >= MAX_FILES) walk.omittedFiles++;
  else {
    const part = getPart(node, false);
    walk.files.push({ part, mimeType: node.type, fileName: getFileName(node), encodedBytes: size });
  }
  return null;
}

const getGivenName = (node: MessageStructureObject): string | null =>
  node.dispositionParameters?.['filename'] || node.parameters?.['name'] || null;

function getFileName(node: MessageStructureObject): string {
  const given = getGivenName(node);
  if (given !== null) return given;
  if (node.type === 'message/rfc822') return `${node.envelope?.subject || 'message'}.eml`;
  const kind = node.type.split('/')[0]!;
  const stem = STEMS[node.type] ?? (['image', 'audio', 'video', 'text'].includes(kind) ? kind : 'file');
  return `${stem}.${EXTENSIONS[node.type] ?? mime.getExtension(node.type) ?? 'bin'}`;
}
