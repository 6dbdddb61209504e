/** Query parameters of a link's QR code. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { Enum, Strict } from '../../../platform/http/schema.ts';
import { ERROR_CORRECTIONS, QUIET_ZONE } from '../../../platform/qr/qr.ts';

const QR_FORMATS = ['png', 'svg'] as const;

const HEX = '#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})';
const HEX_FORMAT = 'as `#rgb` or `#rrggbb`, with or without the `#` (which is `%23` in a query)';

export const LinkQrQuery = Strict({
  format: Type.Optional(
    Enum(QR_FORMATS, { default: 'png', description: 'Image format.', examples: ['svg'] }),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 64,
      maximum: 4_096,
      default: 512,
      description: 'Width and height in pixels.',
      examples: [512],
    }),
  ),
  color: Type.Optional(
    Type.String({
      pattern: inWords(`^${HEX}$`, 'must be a hex color'),
      default: '#000000',
      description: `Color of the code, ${HEX_FORMAT}.`,
      examples: ['#1a365d'],
    }),
  ),
  background: Type.Optional(
    Type.String({
      pattern: inWords(`^(?:${HEX}|transparent)$`, 'must be a hex color or `transparent`'),
      default: '#ffffff',
      description: `Background color, ${HEX_FORMAT}; or \`transparent\`, for use on white or another light background.`,
      examples: ['transparent'],
    }),
  ),
  margin: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 16,
      default: QUIET_ZONE,
      description: `Empty modules on each side. The standard requires ${QUIET_ZONE}: with fewer, leave that much space around the image.`,
      examples: [QUIET_ZONE],
    }),
  ),
  error_correction: Type.Optional(
    Enum(ERROR_CORRECTIONS, {
      default: 'M',
      description: 'Share of the code that may be damaged or covered: L 7 %, M 15 %, Q 25 %, H 30 %.',
      examples: ['M'],
    }),
  ),
});

export type LinkQrInput = Static<typeof LinkQrQuery>;
