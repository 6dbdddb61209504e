/** A name for a browser that somebody can tell their own devices by. */

const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

const find = (list: [string, RegExp][], text: string): string | undefined =>
  list.find(([, sign]) => sign.test(text))?.[0];

export function browserOf(userAgent: string | null): { name: string; mobile: boolean } {
  const text = userAgent ?? '';
  const names = [find(BROWSERS, text), find(SYSTEMS, text)].filter((name) => name !== undefined);
  return {
    name: names.join(' on ') || text || 'Unknown browser',
    mobile: /Mobi|Android|iPhone|iPad/.test(text),
  };
}
