/** Returns whether two colors contrast enough for scanners. */
import type { Rgb } from './png.ts';

/** Light of a color, 0 to 1 (WCAG 2, relative luminance). */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** How much lighter the ground is than the code: 1 to 21; below 1 the code is the lighter one. */
export const getContrast = (dark: Rgb, light: Rgb): number =>
  (luminance(light) + 0.05) / (luminance(dark) + 0.05);
