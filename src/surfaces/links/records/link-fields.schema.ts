/** Schemas of the fields of a short link, shared by responses and requests. */
import Type from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { Enum, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { DEVICES, OPERATING_SYSTEMS } from './redirection.ts';
import { TagName } from '../tags/tag.schema.ts';

export const MAX_URL = 4_096;
export const MAX_TAGS = 50;

const Url = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_URL, description, examples: [example] });

export const Domain = Type.String({
  minLength: 1,
  maxLength: 260,
  description: "Host of the short URL: this server's own host or one of your verified domains.",
  examples: ['localhost:3000'],
});
export const SLUG_MEANS =
  'Path of the short URL: letters and digits of any script, `_` and `-`. Case-sensitive.';
export const slug = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: ['launch'] });
export const Slug = slug(SLUG_MEANS);
export const Target = Url('Destination URL of the link.', 'https://example.com/spring?ref=mail');
const Title = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'Name of the link. Shown in link previews.',
  examples: ['Spring launch'],
});
const Description = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'Short description. Shown in link previews.',
  examples: ['Everything new this spring.'],
});
/**
 * Texts that the row of a link stores as the API shows them, trimmed; null unless set. Each is set, shown, listed, exported,
 * imported, and searched for traces of a contact that is erased. A new one is an entry here, and a column of link.store.ts.
 */
const TEXTS = { title: Title, description: Description };
type TextName = keyof typeof TEXTS;
export const TEXT_NAMES = Object.keys(TEXTS) as TextName[];
export const mapTexts = <T>(of: (name: TextName) => T) =>
  Object.fromEntries(TEXT_NAMES.map((name) => [name, of(name)])) as Record<TextName, T>;
export type Texts = Record<TextName, string | null>;
export const getTexts = (link: Texts): Texts => mapTexts((name) => link[name]);

export const TEXT_FIELDS = mapTexts((name) => Nullable(TEXTS[name]));
export const Image = Url('Image for link previews, http or https.', 'https://example.com/spring.png');

export const Tags = Type.Array(TagName, {
  maxItems: MAX_TAGS,
  description: 'Names of the tags. Tags that do not exist are created. Names are case-insensitive.',
  examples: [['spring']],
});

export const ExpiresAt = Timestamp('Time when the link expires; null for never.');
export const ExpiredUrl = Url(
  'URL that visitors are redirected to once the link is expired or exhausted. By default they see an error page.',
  'https://example.com/over',
);
export const MaxClicks = Type.Integer({
  minimum: 1,
  maximum: 2_000_000_000,
  description: 'Maximum number of clicks by people. Bots and link previews do not count.',
  examples: [100],
});
const When = Strict(
  {
    country: Type.Optional(
      Type.Array(
        Type.String({
          pattern: inWords('^[A-Z]{2}$', 'must be a country code of two capital letters'),
          examples: ['DE'],
        }),
        {
          minItems: 1,
          maxItems: 250,
          description: 'ISO 3166-1 alpha-2.',
          examples: [['DE']],
        },
      ),
    ),
    device: Type.Optional(
      Type.Array(Enum(DEVICES), {
        minItems: 1,
        maxItems: DEVICES.length,
        description: 'Kinds of device.',
        examples: [['mobile']],
      }),
    ),
    os: Type.Optional(
      Type.Array(Enum(OPERATING_SYSTEMS), {
        minItems: 1,
        maxItems: OPERATING_SYSTEMS.length,
        description: 'Operating systems.',
        examples: [['ios']],
      }),
    ),
    language: Type.Optional(
      Type.Array(
        Type.String({
          pattern: inWords('^[a-z]{2,3}$', 'must be a language code of two or three lowercase letters'),
          examples: ['de'],
        }),
        {
          minItems: 1,
          maxItems: 100,
          description: 'Primary language subtags.',
          examples: [['de']],
        },
      ),
    ),
  },
  {
    minProperties: 1,
    description: 'All conditions must match. A condition matches if any of its values does.',
  },
);
export const Targeting = Type.Array(
  Strict(
    { when: When, url: Url('Destination URL for matching visitors.', 'https://example.com/de') },
    { title: 'LinkTargetingRule' },
  ),
  {
    maxItems: 50,
    description: 'Other destinations for some visitors. The first matching rule wins.',
    examples: [[{ when: { country: ['DE'] }, url: 'https://example.com/de' }]],
  },
);

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const utmValue = (name: string, example: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: `\`utm_${name}\` of the destination URL.`,
    examples: [example],
  });
export const UTM_FIELDS = {
  source: utmValue('source', 'newsletter'),
  medium: utmValue('medium', 'email'),
  campaign: utmValue('campaign', 'spring'),
  term: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_term` of the destination URL.',
    examples: [null],
  }),
  content: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_content` of the destination URL.',
    examples: [null],
  }),
};
export const UTM_DESCRIPTION =
  'UTM parameters set in the destination URL (and those of `targeting`). They replace existing parameters of the same name.';
export const ForwardQuery = Type.Boolean({
  description:
    "Whether query parameters of the visit are added to the destination URL, if it doesn't have them.",
  examples: [false],
});
export const RedirectStatus = Type.Unsafe<301 | 302 | 307 | 308>({
  type: 'integer',
  enum: [301, 302, 307, 308],
  description: 'HTTP status of the redirect.',
  examples: [302],
});
export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]+$',
  description: 'Your own ID of the link. Unique in the workspace.',
  examples: ['campaign-42'],
});

export const Password = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Password that visitors must enter; not only blanks. Never returned; null for none.',
  examples: [null],
});

export const Archived = Type.Boolean({
  description: 'Whether the link is archived. An archived link returns 410 Gone.',
  examples: [false],
});
