/**
 * What kinds of receivers there are. Those that are chats get bodies of their own form, made by Liquid; the others get
 * the event as it is. Either may be given templates, by type of event.
 */
import type { TemplateKind } from '../../../platform/templates/templates.ts';

export const KINDS = ['custom', 'zapier', 'make', 'n8n', 'slack', 'discord', 'teams'] as const;
export type WebhookKind = (typeof KINDS)[number];

/** Kinds whose receivers take bodies of their own form only. */
export const CHAT_KINDS = ['slack', 'discord', 'teams'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

export const isChatKind = (kind: string): kind is ChatKind =>
  (CHAT_KINDS as readonly string[]).includes(kind);

/** By what rules values are escaped in its templates. */
export const getEscaping = (kind: WebhookKind): TemplateKind => (isChatKind(kind) ? kind : 'json');

/** How they are shown to people. */
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
