import type { Webhook } from '../../api/types.ts';

/** Returns what a page or dialog calls a webhook, which has no name. */
export const webhookName = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description || new URL(url).host;
