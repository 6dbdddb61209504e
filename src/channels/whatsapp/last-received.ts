/** The last message that was received in each chat: WhatsApp shows typing for a received message, not for a chat. */
import type { Signal } from '../contract/signal.ts';

const MAX_CHATS = 1000;

export interface LastReceived {
  note(signals: readonly Signal[]): void;
  /** Returns the ID of the message; undefined for none. @param key of the chat */
  get(key: string): string | undefined;
}

export function createLastReceived(): LastReceived {
  const lastReceived = new Map<string, string>();
  return {
    get: (key) => lastReceived.get(key),
    note(signals) {
      for (const signal of signals) {
        if (signal.kind !== 'message' || signal.fromMe) continue;
        lastReceived.delete(signal.chat.key);
        lastReceived.set(signal.chat.key, signal.externalId);
      }
      for (const [oldest] of lastReceived) {
        if (lastReceived.size <= MAX_CHATS) break;
        lastReceived.delete(oldest);
      }
    },
  };
}
