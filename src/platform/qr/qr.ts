/** QR codes as text for a terminal, SVG and PNG (ISO/IEC 18004). */
import { encode, renderUnicodeCompact } from 'uqr';
import { toPng, type Rgb } from './png.ts';

export const ERROR_CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;
export type ErrorCorrection = (typeof ERROR_CORRECTIONS)[number];

/** Modules of white around it, as the standard asks. */
export const QUIET_ZONE = 4;
/** Pixels a module, where nothing else is asked for. */
const SCALE = 8;

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** The modules, true for dark, with `margin` light ones around them. */
export type Modules = readonly (readonly boolean[])[];

/**
 * @param data at most 2,331 bytes with M, 1,273 with H
 * @throws RangeError for more
 */
export const qrModules = (
  data: string,
  errorCorrection: ErrorCorrection = 'M',
  margin: number = QUIET_ZONE,
): Modules => encode(data, { ecc: errorCorrection, border: margin }).data;

export interface QrStyle {
  /** Pixels a side. */
  size: number;
  dark: Rgb;
  /** Null: transparent. */
  light: Rgb | null;
}

const plain = (modules: Modules): QrStyle => ({ size: modules.length * SCALE, dark: BLACK, light: WHITE });

/** @throws RangeError where there are more modules than pixels */
export const modulesPng = (modules: Modules, style: QrStyle): Buffer => toPng({ modules, ...style });

const hex = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** Each row's dark modules as runs: a path of them is a tenth of what a shape for each would be. */
function getPath(modules: Modules): string {
  let path = '';
  for (const [y, row] of modules.entries())
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      let end = x + 1;
      while (row[end]) end++;
      path += `M${x} ${y}h${end - x}v1H${x}z`;
      x = end;
    }
  return path;
}

export function modulesSvg(modules: Modules, { size, dark, light }: QrStyle): string {
  const side = modules.length;
  const ground = light === null ? '' : `<path fill="${hex(light)}" d="M0 0h${side}v${side}H0z"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">${ground}<path fill="${hex(dark)}" d="${getPath(modules)}"/></svg>`;
}

/** Black on white. @throws RangeError for more than 2,331 bytes */
export function qrPng(data: string): Buffer {
  const modules = qrModules(data);
  return modulesPng(modules, plain(modules));
}
export function qrSvg(data: string): string {
  const modules = qrModules(data);
  return modulesSvg(modules, plain(modules));
}
/** Half blocks: two modules a character. */
export const qrText = (data: string): string =>
  `${renderUnicodeCompact(data, { ecc: 'M', border: QUIET_ZONE })}\n`;
