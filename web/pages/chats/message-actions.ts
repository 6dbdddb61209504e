/** What can be done with a message, by what it is and what its channel can do. */
import type { Instance, Message } from '../../api/types.ts';
import { can, takesMessages } from './draft.ts';
import { textOf } from './chat-text.ts';

export interface Possible {
  reply: boolean;
  react: boolean;
  forward: boolean;
  copy: boolean;
  edit: boolean;
  /** Taken back at the channel. */
  revoke: boolean;
  cancel: boolean;
  /** One that is scheduled, at once. */
  sendNow: boolean;
  sendAgain: boolean;
}

const EDITABLE: readonly Message['type'][] = ['text', 'image', 'video', 'audio', 'document'];
/** Those that the channel has. */
const WITH_CHANNEL: readonly Message['status'][] = ['sent', 'delivered', 'read', 'received'];

const isWithin = ({ sent_at: at }: Message, seconds: number | null, now: number): boolean =>
  seconds === null || at === null || now - Date.parse(at) < seconds * 1000;

export function possibleWith(
  message: Message,
  instance: Instance | undefined,
  writes: boolean,
  now: number,
): Possible {
  const { status, type } = message;
  const isThere = message.deleted_at === null && message[type] !== null;
  const speaks = writes && isThere && instance !== undefined && takesMessages(instance);
  const waits = status === 'scheduled' || status === 'queued';
  const has = WITH_CHANNEL.includes(status);
  const isOwn = message.direction === 'outbound';
  const limits = instance?.capabilities.limits;
  return {
    reply: speaks && has && can(instance, 'reply'),
    react: speaks && has && can(instance, 'react'),
    forward: speaks && type !== 'reaction',
    copy: isThere && textOf(message) !== null,
    edit:
      speaks &&
      isOwn &&
      EDITABLE.includes(type) &&
      (waits || (has && can(instance, 'edit') && isWithin(message, limits?.edit_within ?? null, now))),
    revoke:
      speaks &&
      isOwn &&
      has &&
      can(instance, 'revoke') &&
      isWithin(message, limits?.revoke_within ?? null, now),
    cancel: writes && isOwn && waits,
    sendNow: writes && isOwn && status === 'scheduled',
    sendAgain: speaks && isOwn && (status === 'failed' || status === 'canceled'),
  };
}
