/**
 * Limits the rate of sends on one connection according to its channel's capabilities. Kept in memory: only the holder
 * of a connection sends on it, and a new holder starts with one burst.
 */
import type { Capabilities } from '../../../channels/contract/capabilities.ts';

/** Burst after an idle period, in seconds of the rate. */
const BURST_SECONDS = 0.1;

export interface Pace {
  /** Number of messages that may be sent now. */
  available(): number;
  take(): void;
  /** Records a message to a chat, so that the next one to it waits. */
  sentTo(chatId: string, kind: 'direct' | 'group'): void;
  /** Chats that must not be sent to yet. */
  cooling(): string[];
  /** Milliseconds until the rate or a chat allows more than now; null if nothing is delayed. */
  wait(): number | null;
}

export function createPace(
  { perSecond, perChat, perGroup = perChat }: Capabilities['pacing'],
  now: () => number = () => performance.now(),
): Pace {
  const burst = perSecond === null ? 0 : Math.max(1, perSecond * BURST_SECONDS);
  let left = burst;
  let at = now();
  /** Until when, by kind; the earliest first, since all of a kind wait for the same time. */
  const chats = { direct: new Map<string, number>(), group: new Map<string, number>() };

  const fill = (): void => {
    if (perSecond === null) return;
    const time = now();
    left = Math.min(burst, left + ((time - at) * perSecond) / 1_000);
    at = time;
  };
  const cool = (): void => {
    const time = now();
    for (const waiting of Object.values(chats))
      for (const [chat, until] of waiting) {
        if (until > time) break;
        waiting.delete(chat);
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
    sentTo(chatId, kind) {
      const rate = kind === 'group' ? perGroup : perChat;
      if (rate === null) return;
      chats[kind].delete(chatId);
      chats[kind].set(chatId, now() + 1_000 / rate);
    },
    cooling() {
      cool();
      return Object.values(chats).flatMap((waiting) => [...waiting.keys()]);
    },
    wait() {
      fill();
      cool();
      const waits = Object.values(chats).flatMap((waiting) => {
        const [first] = waiting.values();
        return first === undefined ? [] : [first - now()];
      });
      if (perSecond !== null && left < 1) waits.push(((1 - left) * 1_000) / perSecond);
      return waits.length ? Math.max(1, Math.ceil(Math.min(...waits))) : null;
    },
  };
}
