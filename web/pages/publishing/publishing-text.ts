/** How senders prove themselves, in words. */
import type { PublishingAuth } from '../../api/types.ts';

export type AuthType = PublishingAuth['type'];
export type Scheme = NonNullable<PublishingAuth['scheme']>;

export const AUTH_NAMES: Record<AuthType, string> = {
  secret_url: 'Secret URL',
  bearer: 'API key',
  signature: 'Signature',
};

export const SCHEME_NAMES: Record<Scheme, string> = {
  standard_webhooks: 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  hmac: 'HMAC of your own',
};

/** "Secret URL", "API key", "Signed by GitHub". */
export const authWord = ({ type, scheme }: Pick<PublishingAuth, 'type' | 'scheme'>): string => {
  if (type !== 'signature' || scheme === null) return AUTH_NAMES[type];
  return scheme === 'hmac' ? 'Signed (HMAC)' : `Signed: ${SCHEME_NAMES[scheme]}`;
};
