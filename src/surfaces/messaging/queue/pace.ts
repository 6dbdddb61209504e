/**
 * How fast one connection may be sent on, by its channel's capabilities. Kept in memory: only the holder of a connection
 * sends on it, and a new one begins with what a moment gives.
 */
import type { Capabilities } from '../../../channels/contract/capabilities.ts';

/** Burst after an idle period, in seconds of the rate. */
const BURST_SECONDS = 0.1;

export interface Pace {
  /** How many may go now. */
  available(): number;
  take(): void;
  /** A message went to a chat: the next one to it waits. */
  sentTo(chatId: string): void;
  /** Chats that wait. */
  cooling(): string[];
  /** ms until more may go than now: a slot of the rate, or a chat; null where nothing is held up. */
  wait(): number | null;
}

export function createPace(
  { perSecond, perChat }: Capabilities['pacing'],
  now: () => number = () => performance.now(),
): Pace {
  const burst = perSecond === null ? 0 : Math.max(1, perSecond * BURST_SECONDS);
  let left = burst;
  let at = now();
  /** Until when; the earliest first, since all wait for the same time. */
  const chats = new Map<string, number>();

  const fill = (): void => {
    if (perSecond === null) return;
    const time = now();
    left = Math.min(burst, left + ((time - at) * perSecond) / 1_000);
    at = time;
  };
  const cool = (): void => {
    const time = now();
    for (const [chat, until] of chats) {
      if (until > time) return;
      chats.delete(chat);
    }
  };

  return {
    available() {
      fill();
      return perSecond === null ? Number.POSITIVE_INFINITY : Math.floor(left);
    },
    take() {
      fill();
      left -= 1;
    },
    sentTo(chatId) {
      if (perChat === null) return;
      chats.delete(chatId);
      chats.set(chatId, now() + 1_000 / perChat);
    },
    cooling() {
      cool();
      return [...chats.keys()];
    },
    wait() {
      fill();
      cool();
      const [first] = chats.values();
      const waits = first === undefined ? [] : [first - now()];
      if (perSecond !== null && left < 1) waits.push(((1 - left) * 1_000) / perSecond);
      return waits.length ? Math.max(1, Math.ceil(Math.min(...waits))) : null;
    },
  };
}
