/** All operations of messaging, in the order of the API reference. */
import type { Operation } from '../../core/api/operation.ts';
import { type ChannelDeps, channelOperations } from './instances/channel.routes.ts';
import { type ChatDeps, chatOperations } from './chats/chat.routes.ts';
import { type ContactDeps, contactOperations } from './contacts/contact.routes.ts';
import { type ContactTransferDeps, contactTransferOperations } from './contacts/contact-transfer.routes.ts';
import { type GroupDeps } from './groups/group.service.ts';
import { groupOperations } from './groups/group.routes.ts';
import { participantOperations } from './groups/participant.routes.ts';
import { type InstanceDeps, instanceOperations } from './instances/instance.routes.ts';
import { desiredStateOperations } from './instances/desired-state.routes.ts';
import { instanceActivityOperations } from './instances/instance-activity.routes.ts';
import { pairingOperations } from './instances/pairing.routes.ts';
import { mediaOperations } from './media/media.routes.ts';
import type { MediaServiceDeps } from './media/media.service.ts';
import { messageSource } from './messages/message-source.routes.ts';
import { messageChangeOperations } from './messages/message-change.routes.ts';
import { type MessageDeps, messageOperations } from './messages/message.routes.ts';
import { templateOperations } from './templates/template.routes.ts';
import {
  type UnprocessedUpdateDeps,
  unprocessedUpdateOperations,
} from './unprocessed-updates/unprocessed-update.routes.ts';
import { type QueueDeps, queueOperations } from './queue/queue.routes.ts';

export type MessagingOperationDeps = ChannelDeps &
  InstanceDeps &
  QueueDeps &
  UnprocessedUpdateDeps &
  MessageDeps &
  ChatDeps &
  GroupDeps &
  ContactDeps &
  ContactTransferDeps & {
    media: MediaServiceDeps;
  };

/** Declares the operations; nothing is called until one of them runs. */
export const messagingOperations = (deps: MessagingOperationDeps): Operation[] => [
  ...channelOperations(deps),
  ...instanceOperations(deps),
  ...desiredStateOperations(deps),
  ...pairingOperations(deps),
  ...instanceActivityOperations(),
  ...templateOperations(),
  ...queueOperations(deps),
  ...unprocessedUpdateOperations(deps),
  ...messageOperations(deps),
  ...messageChangeOperations(deps),
  ...chatOperations(deps),
  ...groupOperations(deps),
  ...participantOperations(deps),
  ...contactOperations(deps),
  ...contactTransferOperations(deps),
  messageSource(deps.media),
  ...mediaOperations({ ...deps, ...deps.media }),
];
