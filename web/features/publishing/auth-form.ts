/** The values of the authentication fields and the API objects they stand for. */
import { t } from '../../copy/text.ts';
import type { EndpointChange, NewEndpoint } from '../../api/publishing.ts';
import type { PublishingAuth } from '../../api/types.ts';
import type { AuthType, Scheme } from './publishing-text.ts';

type Hmac = NonNullable<PublishingAuth['hmac']>;

export interface AuthForm {
  type: AuthType;
  scheme: Scheme;
  /** The sender's secret; empty lets the server generate one. */
  secret: string;
  /** Seconds, as typed. */
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

export const toAuthForm = ({
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

const toHmac = ({ timestamp_header: header, timestamp_format: format, ...hmac }: AuthForm['hmac']) => ({
  ...hmac,
  ...(header.trim() === ''
    ? { timestamp_header: null }
    : { timestamp_header: header.trim(), timestamp_format: format }),
});

const toSignature = ({ scheme, tolerance, hmac }: AuthForm) => ({
  scheme,
  ...(scheme === 'hmac' && { hmac: toHmac(hmac) }),
  ...(tolerance.trim() !== '' && scheme !== 'github' && { tolerance_seconds: Number(tolerance) }),
});

export const toAuthBody = (form: AuthForm): NewEndpoint['auth'] => ({
  type: form.type,
  ...(form.type === 'signature' && {
    ...toSignature(form),
    ...(form.secret.trim() !== '' && { secret: form.secret.trim() }),
  }),
});

/** Returns the update of an existing endpoint, which can only change signature settings. */
export const toAuthUpdate = (form: AuthForm): NonNullable<EndpointChange['auth']> => toSignature(form);

/** Where to find the secret, by scheme. */
export const SECRET_HINTS: Record<Scheme, string> = {
  standard_webhooks: t('whsec_ followed by 24 to 64 bytes in base64. Leave blank to generate one.'),
  github: t('Enter the same secret in the GitHub webhook. Leave blank to generate one.'),
  stripe: t('Copy the signing secret (whsec_…) of the webhook endpoint from Stripe.'),
  slack: t('Copy the signing secret from Basic Information in your Slack app.'),
  hmac: t('The secret the sender signs with. Leave blank to generate one.'),
};
