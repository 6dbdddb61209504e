/**
 * Renders the QR code of a link. It only contains the short URL, so it reveals neither the destination nor any
 * restrictions. Codes that scanners would not detect are rejected.
 */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { getContrast } from '../../../platform/qr/contrast.ts';
import type { Rgb } from '../../../platform/qr/png.ts';
import {
  type ErrorCorrection,
  type QrStyle,
  type Modules,
  modulesPng,
  modulesSvg,
  qrModules,
} from '../../../platform/qr/qr.ts';
import { buildShortUrl } from '../records/link-present.ts';
import { getLink } from '../records/link.store.ts';
import type { LinkQrInput } from './qr.schema.ts';

/** Found by experiment: below this, decoders fail on clean, slightly blurred pixels (src/platform/qr/qr.test.ts). */
const MIN_CONTRAST = 3;
const WHITE: Rgb = [255, 255, 255];

export interface QrPicture {
  body: Buffer;
  contentType: string;
  /** Suggested file name. */
  fileName: string;
}

/** Parses `#rgb` or `#rrggbb`, with or without the `#`. */
function parseColor(text: string): Rgb {
  const digits = text.replace('#', '');
  const whole = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return [...Buffer.from(whole, 'hex')] as unknown as Rgb;
}

/** Checks the contrast. A transparent background is assumed to be white, the lightest possible one. */
function assertContrast(dark: Rgb, light: Rgb | null): void {
  const contrast = getContrast(dark, light ?? WHITE);
  if (contrast >= MIN_CONTRAST) return;
  const detail =
    contrast < 1
      ? 'must be darker than the background: many scanners cannot read inverted codes'
      : `has a contrast ratio of ${contrast.toFixed(1)} to the background; at least ${MIN_CONTRAST} is required`;
  throw new Problem('contrast_too_low', `The color ${detail}.`, {
    errors: [{ pointer: '?color', code: 'contrast_too_low', detail }],
  });
}

function encodeModules(data: string, errorCorrection: ErrorCorrection, margin: number): Modules {
  try {
    return qrModules(data, errorCorrection, margin);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const detail = 'is too high for a URL of this length';
    throw new Problem('code_too_dense', `error_correction ${detail}.`, {
      errors: [{ pointer: '?error_correction', code: 'code_too_dense', detail }],
    });
  }
}

/** Renders the QR code. @throws Problem not_found, contrast_too_low, code_too_dense */
export async function drawLinkQr(
  unit: ReadUnit,
  baseUrl: string,
  workspaceId: string,
  linkId: string,
  input: LinkQrInput,
): Promise<QrPicture> {
  const { format = 'png', size = 512, color = '#000000', background = '#ffffff' } = input;
  const row = await getLink(unit.db, workspaceId, linkId);
  if (!row) throw notFound('link');
  const style: QrStyle = {
    size,
    dark: parseColor(color),
    light: background === 'transparent' ? null : parseColor(background),
  };
  assertContrast(style.dark, style.light);
  const address = buildShortUrl(baseUrl, row.domain, row.slug);
  const modules = encodeModules(address, input.error_correction ?? 'M', input.margin ?? 4);
  if (modules.length > size) {
    const detail = `must be at least ${modules.length} (one pixel per module)`;
    throw new Problem('code_too_dense', `size ${detail}.`, {
      errors: [{ pointer: '?size', code: 'code_too_dense', detail }],
    });
  }
  const fileName = `${row.slug}-qr.${format}`;
  return format === 'svg'
    ? { body: Buffer.from(modulesSvg(modules, style)), contentType: 'image/svg+xml', fileName }
    : { body: modulesPng(modules, style), contentType: 'image/png', fileName };
}
