/** How a sender proves itself to a publishing endpoint. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';

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
export const TIMESTAMP_FORMATS = ['unix', 'unix_ms', 'rfc3339'] as const;

const HEADER = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

const AuthType = Enum(AUTH_TYPES, {
  description:
    '`bearer`: an API key with the scope `publishing:publish`; `secret_url`: whoever knows the address; `signature`: the sender signs what it sends.',
  examples: ['secret_url'],
});
const Scheme = Enum(SCHEMES, {
  description: 'How it signs. Only with `signature`.',
  examples: ['standard_webhooks'],
});
const Tolerance = Type.Integer({
  minimum: 10,
  maximum: 86_400,
  default: 300,
  description: 'Seconds by which a signed time may differ from ours.',
  examples: [300],
});
const Header = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: HEADER, description, examples: [example] });

/** Of the scheme `hmac`. */
const Hmac = Strict(
  {
    header: Header('The header that the signature stands in.', 'X-Signature'),
    algorithm: Type.Optional(
      Enum(ALGORITHMS, { default: 'sha256', description: 'The hash.', examples: ['sha256'] }),
    ),
    encoding: Type.Optional(
      Enum(ENCODINGS, { default: 'hex', description: 'How the signature is written.', examples: ['hex'] }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: 50,
        default: '',
        description: 'What stands before it.',
        examples: ['sha256='],
      }),
    ),
    timestamp_header: Type.Optional(
      Nullable(Header('The header that the time of signing stands in.', 'X-Timestamp'), {
        default: null,
        description: 'The header that the time of signing stands in; null where none is signed.',
        examples: [null],
      }),
    ),
    timestamp_format: Type.Optional(
      Enum(TIMESTAMP_FORMATS, {
        default: 'unix',
        description: 'How the time is written.',
        examples: ['unix'],
      }),
    ),
    signed: Type.Optional(
      Enum(SIGNED, {
        default: 'body',
        description: 'What is signed: the body as it came, or the time and the body.',
        examples: ['body'],
      }),
    ),
  },
  { description: 'Only with the scheme `hmac`.' },
);

const Secret = Type.String({
  minLength: 8,
  maxLength: 500,
  description:
    'What the sender signs with, where it made it (Stripe, Slack). Left out, one is made. Never shown again.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

const signatureInput = {
  scheme: Type.Optional(Scheme),
  hmac: Type.Optional(Hmac),
  tolerance_seconds: Type.Optional(Tolerance),
};

export const AuthInput = Strict(
  { type: AuthType, ...signatureInput, secret: Type.Optional(Secret) },
  { description: 'How a sender proves itself.', examples: [{ type: 'secret_url' }] },
);

/** The type stays; another takes another endpoint. A secret is changed by `rotate`. */
export const AuthUpdate = Strict(signatureInput, {
  description: 'Changes how signatures are read.',
  examples: [{ tolerance_seconds: 600 }],
});

export const Auth = Type.Object(
  {
    type: AuthType,
    scheme: Nullable(Scheme, { description: 'How it signs; null without signature.', examples: [null] }),
    hmac: Nullable(Type.Required(Type.Object(Hmac.properties)), {
      description: 'Of the scheme `hmac`; null for others.',
      examples: [null],
    }),
    tolerance_seconds: Nullable(Tolerance, {
      description: 'Seconds by which a signed time may differ from ours; null without signature.',
      examples: [null],
    }),
    previous_expires_at: Nullable(
      Timestamp('After a rotation: until when the secret or address before counts.'),
      { examples: [null] },
    ),
    url_last4: Nullable(Type.String(), {
      description: 'The last characters of the secret address; null where the address is none.',
      examples: [null],
    }),
  },
  { title: 'PublishingAuth', description: 'How a sender proves itself.' },
);

export type AuthObject = Static<typeof Auth>;
export type AuthInputBody = Static<typeof AuthInput>;
