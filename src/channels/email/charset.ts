/**
 * Decodes bytes of a mail with the labels of the Encoding Standard (encoding.spec.whatwg.org), in which iso-8859-1 and
 * us-ascii mean windows-1252. The same table is used for headers, texts and file names.
 */
import iconv from 'iconv-lite';

/**
 * Bytes in which HTML may name its encoding (html.spec.whatwg.org, prescan). Mail programs name it later than the 1,024
 * bytes in the standard.
 */
const PRESCAN = 4096;
const META = /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
/** Escape sequences with which ISO-2022-JP leaves ASCII. */
const ISO_2022_JP = /\x1b(?:\$[@B]|\([IJ])/; // oxlint-disable-line no-control-regex -- they are controls
/** Labels that say nothing about bytes outside ASCII. */
const ONLY_ASCII = /^(?:us-?ascii|ascii|ansi_x3\.4-19(?:68|86)|7bit|8bit|unknown-8bit|x-unknown|default)$/i;

/**
 * @param charset the name in the mail; null if there is none
 * @param isHtml whether a `<meta>` may name it
 */
export function decodeText(bytes: Buffer, charset: string | null, isHtml = false): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder().decode(bytes);
  const named = charset === null || ONLY_ASCII.test(charset.trim()) ? null : decodeAs(bytes, charset);
  if (named !== null) return named;
  const latin = bytes.toString('latin1');
  if (ISO_2022_JP.test(latin)) return new TextDecoder('iso-2022-jp').decode(bytes);
  const meta = isHtml ? META.exec(latin.slice(0, PRESCAN))?.[1] : undefined;
  // If the element could be found in ASCII, the text is not UTF-16.
  const inHtml = meta === undefined || /^utf-?(?:16|32)/i.test(meta) ? null : decodeAs(bytes, meta);
  return inHtml ?? asUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** @returns null if the label is unknown */
function decodeAs(bytes: Buffer, label: string): string | null {
  const encoding = getEncoding(label);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  return iconv.encodingExists(label) ? iconv.decode(bytes, label) : null;
}

/** Returns the Encoding Standard's name for a label; null if there is none. */
export function getEncoding(label: string): string | null {
  // Microsoft's names, such as `cp-1252`, `win-1251`, `windows1250`, `ms936`.
  const name = label.trim().replace(/^(?:cp|win|windows|ms)-?(?=125\d$)/i, 'windows-');
  const known = /^(?:cp|ms|windows)-?(932|936|949|950)$/i.exec(name)?.[1];
  try {
    return new TextDecoder(known === undefined ? name : CODE_PAGES[known]).encoding;
  } catch {
    return null; // RangeError: no such label
  }
}

const CODE_PAGES: Record<string, string> = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' };

/** @returns null if the bytes are not UTF-8. A truncated character after other UTF-8 characters is omitted. */
function asUtf8(bytes: Buffer): string | null {
  const decode = (end: number): string | null => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
    } catch {
      return null; // TypeError: not UTF-8
    }
  };
  const whole = decode(bytes.length);
  if (whole !== null) return whole;
  for (let cut = 1; cut <= 3; cut++) {
    const most = decode(bytes.length - cut);
    // Without other characters outside ASCII, it is the last letter of a text in windows-1252.
    if (most !== null) return most.length < bytes.length - cut ? most : null;
  }
  return null;
}
