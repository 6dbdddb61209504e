/**
 * Detects the type of a file from its bytes. The declared type is only used for text and emails, which have no
 * signature, and only for types that no browser executes or applies as a script or a style sheet.
 */
import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';

const UNKNOWN = 'application/octet-stream';
const TEXT = 'text/plain';
const EMAIL = 'message/rfc822';
const TEXT_TYPES = new Set([
  TEXT,
  'text/calendar',
  'text/csv',
  'text/html',
  'text/markdown',
  'text/tab-separated-values',
  'text/vcard',
  'application/json',
  'application/xml',
  'image/svg+xml',
]);
const INLINE_IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Beyond tab, line feed, form feed and return, text has none of them. */
// oxlint-disable-next-line eslint/no-control-regex -- these characters must not occur
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f]/;

/** Checks whether everything is UTF-8 text; the last character may be truncated. */
function isText(head: Buffer): boolean {
  for (let cut = 0; cut < 4 && cut < head.length; cut++) {
    const bytes = head.subarray(0, head.length - cut);
    if (isUtf8(bytes)) return !CONTROL.test(bytes.toString());
  }
  return false;
}

/**
 * @param head the first bytes of the file
 * @param declared by its sender, with parameters or without
 * @returns lower case, without parameters
 */
export async function getType(head: Buffer, declared: string | null): Promise<string> {
  const hint = declared?.split(';')[0]!.trim().toLowerCase() ?? '';
  const found = (await fileTypeFromBuffer(head))?.mime.split(';')[0]!.toLowerCase();
  if (found === 'application/xml' && hint === 'image/svg+xml') return hint;
  if (found !== undefined) return found;
  // In any character set.
  if (hint === EMAIL) return hint;
  if (!isText(head)) return UNKNOWN;
  return TEXT_TYPES.has(hint) ? hint : TEXT;
}

export const isInlineImage = (mimeType: string): boolean => INLINE_IMAGES.has(mimeType);

/** Whether a browser may show the file inline; anything else is downloaded. */
export const isShownInline = (mimeType: string): boolean =>
  isInlineImage(mimeType) || /^(audio|video)\//.test(mimeType);

/** The Content-Type of an answer. */
export const getContentType = (mimeType: string): string =>
  mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType;
