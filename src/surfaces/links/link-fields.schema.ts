/** What a short link is made of, field by field, as the API shows it and takes it. */
import Type from 'typebox';
import { Enum, Nullable, Strict, Timestamp } from '../../platform/http/schema.ts';
import { DEVICES, OPERATING_SYSTEMS } from './redirect/route.ts';
import { TagName } from './tags/tag.schema.ts';

export const MAX_URL = 4_096;
export const MAX_TAGS = 50;

const Url = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_URL, description, examples: [example] });

export const Domain = Type.String({
  minLength: 1,
  maxLength: 260,
  description: "Host of the short address: this server's own, or one of your verified domains.",
  examples: ['localhost:3000'],
});
export const SLUG_MEANS =
  'What stands behind the host: letters and digits of any script, `_` and `-`. Case counts.';
export const slug = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: ['launch'] });
export const Slug = slug(SLUG_MEANS);
export const Target = Url('Where the link leads.', 'https://example.com/spring?ref=mail');
export const Title = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'What you call it; shown in previews.',
  examples: ['Spring launch'],
});
export const Description = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'A line or two about it; shown in previews.',
  examples: ['Everything new this spring.'],
});
export const Image = Url('Picture for previews, http or https.', 'https://example.com/spring.png');

export const Tags = Type.Array(TagName, {
  maxItems: MAX_TAGS,
  description: 'Names of its tags. Those that are not there yet are made; case does not tell two apart.',
  examples: [['spring']],
});

export const ExpiresAt = Timestamp('From when on it leads no further; null for never.');
export const ExpiredUrl = Url(
  'Where visitors go once it is expired or exhausted, instead of a page that says so.',
  'https://example.com/over',
);
export const MaxClicks = Type.Integer({
  minimum: 1,
  maximum: 2_000_000_000,
  description: 'How many people it sends on at most; bots and previews use none up.',
  examples: [100],
});
const When = Strict(
  {
    country: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$', examples: ['DE'] }), {
        minItems: 1,
        maxItems: 250,
        description: 'ISO 3166-1 alpha-2.',
        examples: [['DE']],
      }),
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
      Type.Array(Type.String({ pattern: '^[a-z]{2,3}$', examples: ['de'] }), {
        minItems: 1,
        maxItems: 100,
        description: 'Primary language subtags.',
        examples: [['de']],
      }),
    ),
  },
  { minProperties: 1, description: 'All conditions that are there must hold; of each, one value must.' },
);
export const Targeting = Type.Array(
  Strict({ when: When, url: Url('Where such visitors go.', 'https://example.com/de') }),
  {
    maxItems: 50,
    description: 'Other targets for some visitors: the first rule that fits decides.',
    examples: [[{ when: { country: ['DE'] }, url: 'https://example.com/de' }]],
  },
);

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const utmValue = (name: string, example: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: `\`utm_${name}\` of the target.`,
    examples: [example],
  });
export const UTM_FIELDS = {
  source: utmValue('source', 'newsletter'),
  medium: utmValue('medium', 'email'),
  campaign: utmValue('campaign', 'spring'),
  term: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_term` of the target.',
    examples: [null],
  }),
  content: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_content` of the target.',
    examples: [null],
  }),
};
export const UTM_DESCRIPTION =
  'Set in the target (and in those of `targeting`), in the place of what it has of that name.';
export const ForwardQuery = Type.Boolean({
  description: 'Whether parameters of the visit that the target lacks are added to it.',
  examples: [false],
});
export const RedirectStatus = Type.Unsafe<301 | 302 | 307 | 308>({
  type: 'integer',
  enum: [301, 302, 307, 308],
  description: 'Status of the redirect.',
  examples: [302],
});
export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]+$',
  description: 'Your own id of it; unique in the workspace.',
  examples: ['campaign-42'],
});

export const Password = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'What visitors must type, not blanks alone. Shown nowhere; null for none.',
  examples: [null],
});

export const Archived = Type.Boolean({
  description: 'An archived link leads nowhere (410) until it is no longer archived.',
  examples: [false],
});
