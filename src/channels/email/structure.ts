/** Reads a mail's BODYSTRUCTURE: which parts are its readable text, and which are files. */
import type { MessageStructureObject } from 'imapflow';
import mime from 'mime';

/** Limits against hostile structures. Omitted parts are marked. */
const DEEPEST = 50;
const MAX_FILES = 100;
const MAX_TEXTS = 100;
/** Maximum size of embedded pictures that are ignored, such as logos in signatures and tracking pixels. */
const ORNAMENT_BYTES = 20_000;
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
]);
/** Types of the same text for certain mail programs. */
const RENDITIONS = new Set(['text/x-amp-html', 'text/watch-html']);
const READABLE = new Set(['text/plain', 'text/html']);
/** Types of the machine-readable part of a read receipt, whose first part is the text for people. */
const OF_READ_RECEIPTS = new Set([
  'message/disposition-notification',
  'message/global-disposition-notification',
]);
/** Extensions for types whose first registered extension is not the usual one. */
const EXTENSIONS: Record<string, string> = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'message/rfc822': 'eml',
};
/** Names of files without a name, by type. */
const STEMS: Record<string, string> = {
  'text/calendar': 'invite',
  'text/vcard': 'contact',
  'text/x-vcard': 'contact',
};

export interface FilePart {
  part: string;
  mimeType: string;
  fileName: string;
  /** Bytes of the encoded file, as the server reports. */
  encodedBytes: number;
}

export interface TextPart {
  kind: 'text';
  part: string;
  isHtml: boolean;
  /** Content-Transfer-Encoding, in lower case. */
  encoding: string;
  charset: string | null;
  /** Whether it is in format=flowed, and its DelSp parameter. */
  isFlowed: boolean;
  deletesSpace: boolean;
}

/**
 * The readable text. Of an alternative, the first part with any text is used, because all parts have the same content
 * (RFC 2046, 5.1.4). Plain text comes first, then the part that the sender prefers. `omitted` stands for parts beyond a
 * limit.
 */
export type Body = TextPart | { kind: 'all' | 'alternative'; of: Body[] } | { kind: 'omitted' };

export interface MailParts {
  body: Body;
  files: FilePart[];
  /** Number of files beyond the limit. */
  omittedFiles: number;
  /** Whether it, or a mail within it, reports the delivery of another mail. */
  isDeliveryReport: boolean;
  /** Whether it reports that a recipient opened a mail (RFC 8098). */
  isReadReceipt: boolean;
}

interface Walk {
  files: FilePart[];
  omittedFiles: number;
  texts: number;
}

interface Place {
  depth: number;
  /**
   * Whether it is the place of the mail's own text, which may have a file name. Beside it, lists add footers and people
   * attach files.
   */
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

/** Returns the part number. For a mail without parts, IMAP has fixed names. */
const getPart = (node: MessageStructureObject, isText: boolean): string =>
  node.part ?? (isText ? 'text' : '1');

const isReport = ({ type, parameters, childNodes }: MessageStructureObject, kind: string): boolean =>
  type === 'multipart/report' &&
  (parameters?.['report-type']?.toLowerCase() === kind ||
    (childNodes ?? []).some((child) => child.type.replace('/global-', '/') === `message/${kind}`));

/** Whether the mail has a report at any level, because gateways wrap reports in mails. */
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
    ...variants.filter(hasHtml).toReversed(), // the last is the preferred one
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
