/** What the event log tells of webhooks: never a secret, nor a header's value. */
import { eventKind } from '../events/event-kind.ts';
import { Webhook } from './webhook.schema.ts';

export const webhookEvents = {
  'webhook.created': eventKind({ object: Webhook, description: 'A webhook was created.' }),
  'webhook.updated': eventKind({
    object: Webhook,
    description: 'The settings of a webhook changed, it was enabled again, or it got a new secret.',
    previous: { events: ['member.*'] },
  }),
  'webhook.disabled': eventKind({
    object: Webhook,
    description:
      'A webhook was disabled: by somebody, because its receiver answered 410, after 5 days of nothing but failures, or with the API key or member that created it.',
    sample: { enabled: false, disabled_reason: 'failing', disabled_at: '2026-01-15T09:30:00.000Z' },
  }),
  'webhook.deleted': eventKind({ object: Webhook, description: 'A webhook was deleted.' }),
};
