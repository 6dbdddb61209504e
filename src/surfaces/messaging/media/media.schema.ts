/** Media as the API shows it. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { objectFields } from '../../../core/api/id-schema.ts';

export const MEDIA_STATES = ['pending', 'ready', 'failed'] as const;

const FileName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'File name. Paths and control characters are removed.',
  examples: ['price-list.pdf'],
});

export const Media = Type.Object(
  {
    ...objectFields('media', 'media'),
    state: Enum(MEDIA_STATES, {
      description:
        '`pending` while the file is downloaded from the given URL; an upload is `ready` immediately.',
      examples: ['ready'],
    }),
    mime_type: Nullable(Type.String(), {
      description: 'MIME type, detected from the content; null until ready.',
      examples: ['application/pdf'],
    }),
    size: Nullable(Type.Integer(), { description: 'Size in bytes; null until ready.', examples: [48_213] }),
    sha256: Nullable(Type.String(), {
      description: 'SHA-256 of the content, in hexadecimal; null until ready.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    file_name: Nullable(FileName),
    url: Nullable(Type.String(), {
      description:
        'A signed URL to download the file without a key until `url_expires_at`. Each read returns a fresh URL. While the file is pending, the URL returns 409. null if the download failed, and in a replay by Idempotency-Key.',
      examples: ['https://fairlead.example/media/AZhcGv3…'],
    }),
    thumbnail_url: Nullable(Type.String(), {
      description:
        'A signed URL of a small version of the image: a WebP of at most 640 × 640 pixels, without metadata. It expires with `url`. null for other files, for images above 16 MiB, until the file is ready, and in a replay by Idempotency-Key.',
      examples: [null],
    }),
    url_expires_at: Nullable(Timestamp('When `url` expires: 60 to 75 minutes after the request.')),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'Stable error code.', examples: ['address_answered'] }),
          detail: Type.String({
            description: 'Human-readable explanation.',
            examples: ['The URL responded with 404.'],
          }),
        },
        { title: 'MediaError' },
      ),
      {
        description:
          'Why the download failed, or why a received file was not kept; while pending, the error of the last attempt, which is retried.',
        examples: [null],
      },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the API key or user that created it.',
      examples: ['key_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Media' },
);

const given = { file_name: Type.Optional(FileName), metadata: Type.Optional(Metadata) };

export const CreateMedia = Strict({
  url: Type.String({
    format: 'http-url',
    maxLength: 2_000,
    description:
      'URL to download the file from. Up to five redirects are followed; each is checked like the URL.',
    examples: ['https://example.com/price-list.pdf'],
  }),
  ...given,
});

/** Fields of the form beside `file`. */
export const UploadFields = Strict(given);

export const MediaList = ListQuery({
  type: Type.Optional(
    Type.String({
      maxLength: 127,
      pattern: inWords('^[a-z]+/([a-z0-9][a-z0-9.+-]*|\\*)$', 'must be a media type'),
      description: 'Only files of this type: `image/png`, or `image/*` for all images.',
      examples: ['image/*'],
    }),
  ),
  ...createdFilters,
});

export type MediaObject = Static<typeof Media>;
export type MediaState = (typeof MEDIA_STATES)[number];
