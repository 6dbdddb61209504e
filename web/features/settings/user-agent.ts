/** Names a browser by its user agent, so that users recognize their devices. */
import { t } from '../../copy/text.ts';

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

export function getBrowser(userAgent: string | null): { name: string; mobile: boolean } {
  const text = userAgent ?? '';
  const browser = find(BROWSERS, text);
  const system = find(SYSTEMS, text);
  return {
    name:
      browser && system
        ? t('{browser} on {system}', { browser, system })
        : browser || system || text || t('Unknown browser'),
    mobile: /Mobi|Android|iPhone|iPad/.test(text),
  };
}
