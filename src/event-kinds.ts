/** The payload of every event type: each noun declares its own, and this is where they come together. */
import { apiKeyEvents } from './api-keys/api-key.events.ts';
import { publicationEvents } from './automation/publications/publication.events.ts';
import { publishingEndpointEvents } from './automation/publishing-endpoints/publishing-endpoint.events.ts';
import { ruleEvents } from './automation/rules/rule.events.ts';
import type { EventKinds } from './events/event-type.service.ts';
import { pingEvents } from './events/ping.events.ts';
import { jobEvents } from './jobs/job.events.ts';
import { clickEvents } from './links/clicks/click.events.ts';
import { domainEvents } from './links/domains/domain.events.ts';
import { linkEvents } from './links/link.events.ts';
import { chatEvents } from './messaging/chats/chat.events.ts';
import { contactEvents } from './messaging/contacts/contact.events.ts';
import { groupEvents } from './messaging/groups/group.events.ts';
import { instanceEvents } from './messaging/instances/instance.events.ts';
import { liveMessagingEvents } from './messaging/live/live.events.ts';
import { messageEvents } from './messaging/messages/message.events.ts';
import { webhookEvents } from './webhooks/webhook.events.ts';
import { invitationEvents } from './workspaces/invitation.events.ts';
import { memberEvents } from './workspaces/member.events.ts';
import { workspaceEvents } from './workspaces/workspace.events.ts';

export const EVENT_KINDS = {
  ...workspaceEvents,
  ...memberEvents,
  ...invitationEvents,
  ...apiKeyEvents,
  ...webhookEvents,
  ...instanceEvents,
  ...messageEvents,
  ...chatEvents,
  ...groupEvents,
  ...contactEvents,
  ...linkEvents,
  ...domainEvents,
  ...clickEvents,
  ...publishingEndpointEvents,
  ...publicationEvents,
  ...ruleEvents,
  ...jobEvents,
  ...pingEvents,
  ...liveMessagingEvents,
} satisfies EventKinds;
