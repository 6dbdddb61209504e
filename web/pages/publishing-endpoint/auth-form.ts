/** What is chosen of how senders prove themselves, and what the API is given of it. */
import type { EndpointChange, NewEndpoint } from '../../api/publishing.ts';
import type { PublishingAuth } from '../../api/types.ts';
import type { AuthType, Scheme } from '../publishing/publishing-text.ts';

type Hmac = NonNullable<PublishingAuth['hmac']>;

export interface AuthForm {
  type: AuthType;
  scheme: Scheme;
  /** One that the sender made; empty has the server make it. */
  secret: string;
  /** Seconds, as they are typed. */
  tolerance: string;
  hmac: Omit<Hmac, 'timestamp_header'> & { timestamp_header: string };
}

const DEFAULT_TOLERANCE = '300';

export const emptyAuth = (): AuthForm => ({
  type: 'secret_url',
  scheme: 'standard_webhooks',
  secret: '',
  tolerance: DEFAULT_TOLERANCE,
  hmac: {
    header: 'X-Signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: '',
    timestamp_header: '',
    timestamp_format: 'unix',
    signed: 'body',
  },
});

export const authFormOf = ({
  type,
  scheme,
  hmac,
  tolerance_seconds: tolerance,
}: PublishingAuth): AuthForm => {
  const empty = emptyAuth();
  return {
    ...empty,
    type,
    scheme: scheme ?? empty.scheme,
    tolerance: tolerance === null ? DEFAULT_TOLERANCE : String(tolerance),
    hmac: hmac ? { ...hmac, timestamp_header: hmac.timestamp_header ?? '' } : empty.hmac,
  };
};

const hmacOf = ({ timestamp_header: header, timestamp_format: format, ...hmac }: AuthForm['hmac']) => ({
  ...hmac,
  ...(header.trim() === ''
    ? { timestamp_header: null }
    : { timestamp_header: header.trim(), timestamp_format: format }),
});

const signatureOf = ({ scheme, tolerance, hmac }: AuthForm) => ({
  scheme,
  ...(scheme === 'hmac' && { hmac: hmacOf(hmac) }),
  ...(tolerance.trim() !== '' && scheme !== 'github' && { tolerance_seconds: Number(tolerance) }),
});

export const authBodyOf = (form: AuthForm): NewEndpoint['auth'] => ({
  type: form.type,
  ...(form.type === 'signature' && {
    ...signatureOf(form),
    ...(form.secret.trim() !== '' && { secret: form.secret.trim() }),
  }),
});

/** Of one that exists: how signatures are read, and nothing else. */
export const authChangeOf = (form: AuthForm): NonNullable<EndpointChange['auth']> => signatureOf(form);

/** What the sender says of its secret, by scheme. */
export const SECRET_HINTS: Record<Scheme, string> = {
  standard_webhooks:
    'whsec_ and 24 to 64 bytes in base64. Empty: one is made for you, to give to the sender.',
  github: 'What you will write into the webhook’s field Secret. Empty: one is made for you.',
  stripe: 'Stripe makes it: copy the signing secret (whsec_…) of the webhook there.',
  slack: 'Slack makes it: copy the signing secret of the app, under Basic Information.',
  hmac: 'What the sender signs with. Empty: one is made for you.',
};
