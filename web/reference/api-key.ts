/** Checks in the browser whether a text is an API key, by the checksum in it. Nothing is sent. */
const SHAPE = /^fl_[0-9A-Za-z]{36}$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/** CRC-32 (IEEE) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Returns why a pasted text is not an API key; null if it is one. */
export function faultOfKey(text: string): string | null {
  if (!SHAPE.test(text)) return 'That is not a key: a key is fl_ and 36 letters and digits.';
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH))
    return 'That key has a typo: its checksum does not match.';
  return null;
}
