/**
 * Sends typing notifications to a channel through the process that holds the connection. Nothing is stored: other
 * processes get a hint, and a lost hint is not reported.
 */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { Listener } from '../../../platform/db/listener.ts';
import type { ChatRef } from '../../../channels/contract/connection.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ConnectionSender, ConnectionLease } from '../connections/connection-lease.ts';

const WITHIN_MS = 5_000;
/** A PostgreSQL notification must be shorter than 8,000 bytes. */
const MAX_BYTES = 6_000;

interface Hint {
  instanceId: string;
  chat: ChatRef;
  isTyping: boolean;
}

export interface TypingDeps {
  listener: Pick<Listener, 'on' | 'notify'>;
  /** Listener for open connections. */
  sender: ConnectionSender;
  log: Pick<Log, 'debug'>;
}

export interface Typing {
  /** Never waits, never throws. */
  emit(instanceId: string, chat: ChatRef, isTyping: boolean): void;
  /** Receives the open connections and passes them on. */
  sender: ConnectionSender;
}

export function createTyping({ listener, sender, log }: TypingDeps): Typing {
  const up = new Map<string, ConnectionLease>();

  /** @returns false if this process does not hold the connection */
  const tellHere = ({ instanceId, chat, isTyping }: Hint): boolean => {
    const held = up.get(instanceId);
    if (!held?.isHeld()) return false;
    held.connection
      .setTyping?.(chat, isTyping, AbortSignal.any([held.signal, AbortSignal.timeout(WITHIN_MS)]))
      .catch((err: unknown) =>
        log.debug({ err, instanceId }, 'the channel was not told that somebody types'),
      );
    return true;
  };
  listener.on('typing', (payload) => {
    // Notifications without a payload concern the listener itself.
    if (payload !== '') tellHere(parseOwnJson<Hint>(payload));
  });

  return {
    emit(instanceId, chat, isTyping) {
      const hint = { instanceId, chat, isTyping };
      if (tellHere(hint)) return;
      const payload = JSON.stringify(hint);
      if (Buffer.byteLength(payload) <= MAX_BYTES) listener.notify('typing', payload);
    },
    sender: {
      attach(held) {
        up.set(held.instanceId, held);
        sender.attach(held);
      },
      detach(instanceId) {
        up.delete(instanceId);
        return sender.detach(instanceId);
      },
    },
  };
}
