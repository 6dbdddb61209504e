/** Names of files, which strangers choose: kept so that they can be shown and saved under, never used as a path. */

const MAX_BYTES = 200;
/** Control characters, line separators, and characters that reverse the text direction. */
// oxlint-disable-next-line eslint/no-control-regex -- these characters must not occur
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Returns the last part of a path as a displayable file name; null if nothing is left. Long names keep their ending.
 */
export function cleanFileName(given: string | null): string | null {
  const base = (given ?? '').toWellFormed().normalize('NFC').split(/[/\\]/).at(-1)!;
  const name = base.replace(UNWANTED, '').trim();
  if (name === '' || /^\.+$/.test(name)) return null;
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  let kept = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    if (Buffer.byteLength(kept + character + ending) > MAX_BYTES) break;
    kept += character;
  }
  return kept + ending;
}
