/** What a mail consists of, told from its BODYSTRUCTURE: which parts are its text, and which are files. */
import type { MessageStructureObject } from 'imapflow';

/** The limits hold against structures made to hurt. */
const DEEPEST = 20;
const MAX_FILES = 50;
const MAX_TEXTS = 20;
/** Pictures that HTML embeds, up to this: logos in signatures, pixels that count readers. */
const ORNAMENT_BYTES = 20_000;
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
]);

export interface FilePart {
  part: string;
  mimeType: string;
  fileName: string | null;
  /** Of its encoded form, as the server says. */
  encodedBytes: number;
}

export interface MailParts {
  /** Part numbers of plain text, of HTML: in the order of the mail. Where there is both, they say the same. */
  plain: string[];
  html: string[];
  files: FilePart[];
  /** It reports what became of another mail. */
  isReport: boolean;
}

export function readStructure(root: MessageStructureObject): MailParts {
  const parts: MailParts = {
    plain: [],
    html: [],
    files: [],
    isReport:
      root.type === 'multipart/report' &&
      root.parameters?.['report-type']?.toLowerCase() === 'delivery-status',
  };
  visit(root, parts, false, 0);
  return parts;
}

function visit(node: MessageStructureObject, parts: MailParts, isRelated: boolean, depth: number): void {
  if (node.type.startsWith('multipart/')) {
    if (depth >= DEEPEST) return;
    for (const child of node.childNodes ?? [])
      visit(child, parts, isRelated || node.type === 'multipart/related', depth + 1);
    return;
  }
  const part = node.part ?? '1';
  const fileName = getFileName(node);
  const isBody = node.disposition !== 'attachment' && fileName === null;
  const texts = node.type === 'text/plain' ? parts.plain : node.type === 'text/html' ? parts.html : null;
  if (texts && isBody) {
    if (texts.length < MAX_TEXTS) texts.push(part);
    return;
  }
  const size = node.size ?? 0;
  const isOrnament =
    isRelated && node.id !== undefined && node.type.startsWith('image/') && size < ORNAMENT_BYTES;
  if (isOrnament || SIGNATURES.has(node.type) || parts.files.length >= MAX_FILES) return;
  parts.files.push({ part, mimeType: node.type, fileName, encodedBytes: size });
}

function getFileName(node: MessageStructureObject): string | null {
  const given = node.dispositionParameters?.['filename'] || node.parameters?.['name'];
  if (given) return given;
  return node.type === 'message/rfc822' ? `${node.envelope?.subject || 'message'}.eml` : null;
}
