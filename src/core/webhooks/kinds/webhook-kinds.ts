/**
 * The kinds of receivers. Chats get bodies in their own format, rendered with Liquid; the others get the event itself.
 * Templates per event type can replace either.
 */
import type { TemplateKind } from '../../../platform/templates/templates.ts';

export const KINDS = ['custom', 'zapier', 'make', 'n8n', 'slack', 'discord', 'teams'] as const;
export type WebhookKind = (typeof KINDS)[number];

/** Kinds that only accept bodies in their own format. */
export const CHAT_KINDS = ['slack', 'discord', 'teams'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

export const isChatKind = (kind: string): kind is ChatKind =>
  (CHAT_KINDS as readonly string[]).includes(kind);

/** Returns how values are escaped in its templates. */
export const getEscaping = (kind: WebhookKind): TemplateKind => (isChatKind(kind) ? kind : 'json');

/** Names and descriptions for users. */
export const ABOUT_KINDS: Record<WebhookKind, { name: string; description: string }> = {
  custom: { name: 'Your own server', description: 'The event as it is.' },
  zapier: { name: 'Zapier', description: 'The event as it is, to a "Catch Hook" or a REST hook.' },
  make: { name: 'Make', description: 'The event as it is, to a "Custom webhook".' },
  n8n: { name: 'n8n', description: 'The event as it is, to a "Webhook" node.' },
  slack: {
    name: 'Slack',
    description: 'A message in Block Kit, to an incoming webhook (https://hooks.slack.com/…).',
  },
  discord: {
    name: 'Discord',
    description: "A message with an embed, to a channel's webhook (https://discord.com/api/webhooks/…).",
  },
  teams: {
    name: 'Microsoft Teams',
    description:
      'An Adaptive Card, to a workflow "Post to a channel when a webhook request is received" of Teams.',
  },
};
