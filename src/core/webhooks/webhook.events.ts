/** Events of webhooks. They never contain a secret or a header's value. */
import { eventKind } from '../events/event-kind.ts';
import { Webhook } from './webhook.schema.ts';

export const webhookEvents = {
  'webhook.created': eventKind({ object: Webhook, description: 'A webhook was created.' }),
  'webhook.updated': eventKind({
    object: Webhook,
    description: 'The settings of a webhook changed, it was enabled again, or its secret was rotated.',
    previous: { events: ['member.*'] },
  }),
  'webhook.disabled': eventKind({
    object: Webhook,
    description:
      'A webhook was disabled: by a user, because its receiver responded with 410, because all attempts failed for 5 days, or together with the API key or member that created it.',
    sample: { enabled: false, disabled_reason: 'failing', disabled_at: '2026-01-15T09:30:00.000Z' },
  }),
  'webhook.deleted': eventKind({ object: Webhook, description: 'A webhook was deleted.' }),
};
