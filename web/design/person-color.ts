/** Assigns each person a color, the same everywhere. It is only a visual aid: the name identifies the person. */

/** Each reaches 4.5:1 as text on the surfaces of its scheme; none of them also indicates a status. */
const COLORS = [
  'light-dark(#0b6b6c, #6fc4bf)',
  'light-dark(#1f5fa8, #8fbdf2)',
  'light-dark(#6a3fa0, #c9a9f0)',
  'light-dark(#98295f, #f0a0cc)',
  'light-dark(#8a4a0f, #e6b986)',
  'light-dark(#3f6212, #b4d27e)',
  'light-dark(#3c4ab8, #aab6f5)',
  'light-dark(#7a5c00, #e0c862)',
  'light-dark(#0d5f86, #84cdee)',
] as const;

/** FNV-1a of 32 bits. */
function getHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** @param address the person's address, because the name may change */
export const personColor = (address: string): string => COLORS[getHash(address) % COLORS.length] ?? COLORS[0];
