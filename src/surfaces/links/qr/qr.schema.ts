/** How the picture of a link's QR code is asked for. */
import Type, { type Static } from 'typebox';
import { Enum, Strict } from '../../../platform/http/schema.ts';
import { ERROR_CORRECTIONS, QUIET_ZONE } from '../../../platform/qr/qr.ts';

const QR_FORMATS = ['png', 'svg'] as const;

const HEX = '#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})';
const HEX_MEANS = 'as `#rgb` or `#rrggbb`, with or without the `#` (which is `%23` in a query)';

export const LinkQrQuery = Strict({
  format: Type.Optional(
    Enum(QR_FORMATS, { default: 'png', description: 'Kind of picture.', examples: ['svg'] }),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 64,
      maximum: 4_096,
      default: 512,
      description: 'Pixels a side.',
      examples: [512],
    }),
  ),
  color: Type.Optional(
    Type.String({
      pattern: `^${HEX}$`,
      default: '#000000',
      description: `Colour of the code, ${HEX_MEANS}.`,
      examples: ['#1a365d'],
    }),
  ),
  background: Type.Optional(
    Type.String({
      pattern: `^(?:${HEX}|transparent)$`,
      default: '#ffffff',
      description: `Colour behind it, ${HEX_MEANS}; or \`transparent\`, for white or a light ground.`,
      examples: ['transparent'],
    }),
  ),
  margin: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 16,
      default: QUIET_ZONE,
      description: `Empty modules on each side. The standard asks for ${QUIET_ZONE}: with fewer, leave as much room around the picture.`,
      examples: [QUIET_ZONE],
    }),
  ),
  error_correction: Type.Optional(
    Enum(ERROR_CORRECTIONS, {
      default: 'M',
      description: 'How much of the code may be dirty or covered: L 7 %, M 15 %, Q 25 %, H 30 %.',
      examples: ['M'],
    }),
  ),
});

export type LinkQrInput = Static<typeof LinkQrQuery>;
