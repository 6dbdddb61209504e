/**
 * Waits that Telegram asked for (429). It does not say whether it means the chat or the bot: a second chat that has to
 * wait at the same time means that the whole bot has to.
 */
import { LRUCache } from 'lru-cache';
import { DriverError } from '../contract/driver-error.ts';

export interface FloodControl {
  /** @throws DriverError busy while the whole bot has to wait */
  assertFree(): void;
  /** Notes an error of a call for a chat. */
  note(chatId: number, error: unknown): void;
}

const MAX_CHATS = 100;

export function createFloodControl(now: () => number = () => performance.now()): FloodControl {
  const waits = new LRUCache<number, number>({ max: MAX_CHATS });
  let untilOfAll = 0;
  return {
    assertFree() {
      const left = untilOfAll - now();
      if (left <= 0) return;
      throw new DriverError('busy', 'rate_limited', 'Telegram limits the whole bot.', {
        retryAfterMs: Math.ceil(left),
      });
    },
    note(chatId, error) {
      if (!(error instanceof DriverError) || error.code !== 'rate_limited' || error.retryAfterMs === null)
        return;
      const at = now();
      const others = [...waits.entries()].some(([chat, until]) => chat !== chatId && until > at);
      waits.set(chatId, at + error.retryAfterMs);
      if (others) untilOfAll = Math.max(untilOfAll, at + error.retryAfterMs);
    },
  };
}
