/** API schemas of how senders authenticate to a publishing endpoint. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../../platform/http/pattern-words.ts';
import { Enum, Nullable, Strict, Timestamp } from '../../../../platform/http/schema.ts';

export const AUTH_TYPES = ['bearer', 'secret_url', 'signature'] as const;
export const SCHEMES = ['standard_webhooks', 'github', 'stripe', 'slack', 'hmac'] as const;
export const ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export const ENCODINGS = ['hex', 'base64', 'base64url'] as const;
export const SIGNED = [
  'body',
  'timestamp.body',
  'timestampbody',
  'timestamp:body',
  'v0:timestamp:body',
] as const;
const SIGNED_NAMES = ['body', 'timestampDotBody', 'timestampBody', 'timestampColonBody', 'v0TimestampBody'];
export const TIMESTAMP_FORMATS = ['unix', 'unix_ms', 'rfc3339'] as const;

const HEADER = inWords("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", 'must be the name of an HTTP header');

const AuthType = Enum(AUTH_TYPES, {
  description:
    '`bearer`: an API key with the scope `publishing:publish`; `secret_url`: anyone who knows the URL; `signature`: the sender signs its requests.',
  examples: ['secret_url'],
});
const Scheme = Enum(SCHEMES, {
  description: 'The signature scheme. Only with `signature`.',
  examples: ['standard_webhooks'],
});
const Tolerance = Type.Integer({
  minimum: 10,
  maximum: 86_400,
  default: 300,
  description: 'Maximum difference between the signed time and the server clock, in seconds.',
  examples: [300],
});
const Header = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: HEADER, description, examples: [example] });

/** Options of the scheme `hmac`. */
const Hmac = Strict(
  {
    header: Header('The header with the signature.', 'X-Signature'),
    algorithm: Type.Optional(
      Enum(ALGORITHMS, { default: 'sha256', description: 'The hash algorithm.', examples: ['sha256'] }),
    ),
    encoding: Type.Optional(
      Enum(ENCODINGS, { default: 'hex', description: 'The encoding of the signature.', examples: ['hex'] }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: 50,
        default: '',
        description: 'The prefix before the signature.',
        examples: ['sha256='],
      }),
    ),
    timestamp_header: Type.Optional(
      Nullable(Header('The header with the signing time.', 'X-Timestamp'), {
        default: null,
        description: 'The header with the signing time; null if no time is signed.',
        examples: [null],
      }),
    ),
    timestamp_format: Type.Optional(
      Enum(TIMESTAMP_FORMATS, {
        default: 'unix',
        description: 'The format of the time.',
        examples: ['unix'],
      }),
    ),
    signed: Type.Optional(
      Enum(SIGNED, {
        default: 'body',
        description: 'The signed content: the raw body, or the time and the raw body.',
        examples: ['body'],
        // Generators leave out the punctuation, so that two values would have one name.
        'x-enum-varnames': SIGNED_NAMES,
      }),
    ),
  },
  { description: 'Only with the scheme `hmac`.' },
);

const Secret = Type.String({
  minLength: 8,
  maxLength: 500,
  description:
    "The sender's signing secret, if the sender generates it (Stripe, Slack). Generated if omitted. Never shown again.",
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

const signatureInput = {
  scheme: Type.Optional(Scheme),
  hmac: Type.Optional(Hmac),
  tolerance_seconds: Type.Optional(Tolerance),
};

export const AuthInput = Strict(
  { type: AuthType, ...signatureInput, secret: Type.Optional(Secret) },
  { description: 'How senders authenticate.', examples: [{ type: 'secret_url' }] },
);

/** The type cannot be changed; create another endpoint instead. Secrets are changed with `rotate`. */
export const AuthUpdate = Strict(signatureInput, {
  description: 'Changes how signatures are verified.',
  examples: [{ tolerance_seconds: 600 }],
});

export const Auth = Type.Object(
  {
    type: AuthType,
    scheme: Nullable(Scheme, {
      description: 'The signature scheme; null without signature.',
      examples: [null],
    }),
    hmac: Nullable(Type.Required(Type.Object(Hmac.properties)), {
      description: 'Options of the scheme `hmac`; null for other schemes.',
      examples: [null],
    }),
    tolerance_seconds: Nullable(Tolerance, {
      description:
        'Maximum difference between the signed time and the server clock, in seconds; null without signature.',
      examples: [null],
    }),
    previous_expires_at: Nullable(Timestamp('After a rotation: when the previous secret or URL expires.'), {
      examples: [null],
    }),
    url_last4: Nullable(Type.String(), {
      description: 'The last characters of the secret URL; null if the URL is not secret.',
      examples: [null],
    }),
  },
  { title: 'PublishingAuth', description: 'How senders authenticate.' },
);

export type AuthObject = Static<typeof Auth>;
export type AuthInputBody = Static<typeof AuthInput>;
