/** How endpoints authenticate senders: labels of types and schemes, and the secret. */
import { t } from '../../copy/text.ts';
import type { AnsweredEndpoint, PublishingAuth } from '../../api/types.ts';

export type AuthType = PublishingAuth['type'];
export type Scheme = NonNullable<PublishingAuth['scheme']>;

export const AUTH_NAMES: Record<AuthType, string> = {
  secret_url: t('Secret URL'),
  bearer: t('API key'),
  signature: t('Signature'),
};

export const SCHEME_NAMES: Record<Scheme, string> = {
  standard_webhooks: 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  hmac: t('Custom HMAC'),
};

/** Returns how an endpoint authenticates senders: "Secret URL", "API key", "Signed: GitHub". */
export const authLabel = ({ type, scheme }: Pick<PublishingAuth, 'type' | 'scheme'>): string => {
  if (type !== 'signature' || scheme === null) return AUTH_NAMES[type];
  return scheme === 'hmac' ? t('Signed: HMAC') : t('Signed: {scheme}', { scheme: SCHEME_NAMES[scheme] });
};

/** Returns the secret URL or secret of an API response, which is shown only once; null if there is none. */
export const getOneTimeSecret = ({ auth, url, secret }: AnsweredEndpoint): string | null =>
  auth.type === 'secret_url' ? url : secret;
