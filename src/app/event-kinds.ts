/** The payload of every event type: each noun declares its own, and this is where they come together. */
import { apiKeyEvents } from '../core/api-keys/api-key.events.ts';
import { publicationEvents } from '../surfaces/automation/publications/publication.events.ts';
import { publishingEndpointEvents } from '../surfaces/automation/publishing-endpoints/publishing-endpoint.events.ts';
import { ruleEvents } from '../surfaces/automation/rules/rule.events.ts';
import type { EventKinds } from '../core/events/event-type.service.ts';
import { pingEvents } from '../core/events/ping.events.ts';
import { jobEvents } from '../core/jobs/job.events.ts';
import { clickEvents } from '../surfaces/links/clicks/click.events.ts';
import { domainEvents } from '../surfaces/links/domains/domain.events.ts';
import { linkEvents } from '../surfaces/links/link.events.ts';
import { chatEvents } from '../surfaces/messaging/chats/chat.events.ts';
import { contactEvents } from '../surfaces/messaging/contacts/contact.events.ts';
import { groupEvents } from '../surfaces/messaging/groups/group.events.ts';
import { budgetEvents } from '../surfaces/models/budgets/budget.events.ts';
import { instanceEvents } from '../surfaces/messaging/instances/instance.events.ts';
import { liveMessagingEvents } from '../surfaces/messaging/live/live.events.ts';
import { messageEvents } from '../surfaces/messaging/messages/message.events.ts';
import { unprocessedUpdateEvents } from '../surfaces/messaging/unprocessed-updates/unprocessed-update.events.ts';
import { providerEvents } from '../surfaces/models/providers/provider.events.ts';
import { webhookEvents } from '../core/webhooks/webhook.events.ts';
import { invitationEvents } from '../core/workspaces/invitation.events.ts';
import { memberEvents } from '../core/workspaces/member.events.ts';
import { workspaceEvents } from '../core/workspaces/workspace.events.ts';

export const EVENT_KINDS = {
  ...workspaceEvents,
  ...memberEvents,
  ...invitationEvents,
  ...apiKeyEvents,
  ...webhookEvents,
  ...providerEvents,
  ...budgetEvents,
  ...instanceEvents,
  ...unprocessedUpdateEvents,
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
