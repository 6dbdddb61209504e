import type { Webhook } from '../../api/types.ts';

/** Returns the display name of a webhook, which has no name of its own. */
export const webhookName = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description || new URL(url).host;
