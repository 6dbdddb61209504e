/** What an enemy would write. Each must arrive as the text of one message, and nothing else may come of it. */
export const HOSTILE_TEXTS: readonly string[] = [
  'NUL \0 in the midst',
  '\u202Ereversed\u202C and \u2066isolated\u2069',
  'four bytes 🏴‍☠️ 𝒳 👩‍👩‍👧‍👦',
  "'; drop table messages; --",
  'a header\r\nBcc: everybody@example.com\r\n\r\nbody',
  '.\r\nRSET\r\nQUIT',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '</body></message></stream:stream>',
  '{"kind":"revoked"}\\u0000\\',
  `${'combining '.repeat(10)}${'\u0301'.repeat(200)}`,
  ' leading and trailing ',
];

/** Channels may write line ends, and what ends a text, in their own way, and may not have NUL. */
export const shownAs = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\0\ufffd]/g, '')
    .trim();
