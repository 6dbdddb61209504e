/** Decides which actions are available for a message, by its state and the capabilities of its channel. */
import { takesMessages, can } from '../../api/instances.ts';
import type { Instance, Message } from '../../api/types.ts';
import { getText } from '../messages/message-text.ts';

export interface AvailableActions {
  reply: boolean;
  react: boolean;
  forward: boolean;
  copy: boolean;
  pin: boolean;
  unpin: boolean;
  edit: boolean;
  revoke: boolean;
  cancel: boolean;
  /** For a scheduled message. */
  sendNow: boolean;
  sendAgain: boolean;
}

export type MessageAction = Exclude<keyof AvailableActions, 'react'> | 'details';
/** @param emoji for the action `react`; null removes the reaction */
export type OnAction = (message: Message, action: MessageAction | 'react', emoji?: string | null) => void;

export interface MessageMenuProps {
  message: Message;
  available: AvailableActions;
  onAction: OnAction;
}

const EDITABLE: readonly Message['type'][] = ['text', 'image', 'video', 'audio', 'document'];
/** Statuses after the channel accepted the message. */
const ACCEPTED: readonly Message['status'][] = ['sent', 'delivered', 'read', 'received'];

const isWithin = ({ sent_at: at }: Message, seconds: number | null, now: number): boolean =>
  seconds === null || at === null || now - Date.parse(at) < seconds * 1000;

export function getAvailableActions(
  message: Message,
  instance: Instance | undefined,
  writes: boolean,
  now: number,
): AvailableActions {
  const { status, type } = message;
  const hasContent = message.deleted_at === null && message[type] !== null;
  const canSend = writes && hasContent && instance !== undefined && takesMessages(instance);
  const isPending = status === 'scheduled' || status === 'queued';
  const isAccepted = ACCEPTED.includes(status);
  const isOwn = message.direction === 'outbound';
  const limits = instance?.capabilities.limits;
  return {
    reply: canSend && isAccepted && can(instance, 'reply'),
    react: canSend && isAccepted && can(instance, 'react'),
    forward: canSend && type !== 'reaction',
    copy: hasContent && getText(message) !== null,
    pin: canSend && isAccepted && !message.pinned && can(instance, 'pin'),
    unpin: canSend && isAccepted && message.pinned && can(instance, 'pin'),
    edit:
      canSend &&
      isOwn &&
      EDITABLE.includes(type) &&
      (isPending ||
        (isAccepted && can(instance, 'edit') && isWithin(message, limits?.edit_within ?? null, now))),
    revoke:
      canSend &&
      isOwn &&
      isAccepted &&
      can(instance, 'revoke') &&
      isWithin(message, limits?.revoke_within ?? null, now),
    cancel: writes && isOwn && isPending,
    sendNow: writes && isOwn && status === 'scheduled',
    sendAgain: canSend && isOwn && (status === 'failed' || status === 'canceled'),
  };
}
