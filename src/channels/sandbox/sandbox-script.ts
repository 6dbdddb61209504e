/** What comes of a message to a scripted contact: it is delivered, read, and answered; or it comes back. */
import { ANSWER_MS, getResponses, type Exchange, getScene, type Turn } from './sandbox-replies.ts';
import { isMute, SLOW_MS } from './sandbox-faults.ts';
import type { Step } from './sandbox-sent.system-store.ts';
import { type StoredSignal, writeSignals } from './sandbox-signal.ts';

/** So long that it mostly comes after the acknowledgement, as with any network. */
export const DELIVERED_MS = 40;
export const READ_MS = 200;
const BOUNCE_MS = 300;

/** What the sender of a message to a scripted contact is told of it, and when. */
export function getSteps(exchange: Exchange): Step[] {
  const { message, fault, self, replies } = exchange;
  if (isMute(fault)) return [];
  const set = getScene(exchange);
  const { contact, chat, at } = set;
  const own = { externalId: message.clientId, clientId: message.clientId };
  const delay = fault === 'slow' ? SLOW_MS : 0;
  const receipt = (status: 'delivered' | 'read', ms: number): StoredSignal => ({
    kind: 'receipt',
    ...own,
    status,
    error: null,
    at: at(delay + ms),
  });
  const turns: Turn[] = [];
  if (fault === 'bounce')
    turns.push({
      afterMs: BOUNCE_MS,
      signals: [
        {
          kind: 'receipt',
          ...own,
          status: 'failed',
          error: { code: 'undeliverable', detail: 'The message came back: nobody took it.' },
          at: at(BOUNCE_MS),
        },
      ],
    });
  else {
    const answers = replies && contact !== self ? getResponses(exchange, set) : [];
    const typing = (isTyping: boolean): StoredSignal[] =>
      answers.length ? [{ kind: 'typing', chat, address: contact, isTyping }] : [];
    const presence = (isOnline: boolean): StoredSignal[] =>
      answers.length ? [{ kind: 'presence', address: contact, isOnline }] : [];
    turns.push(
      { afterMs: DELIVERED_MS, signals: [receipt('delivered', DELIVERED_MS)] },
      { afterMs: READ_MS, signals: [...presence(true), receipt('read', READ_MS), ...typing(true)] },
      ...answers.map(({ afterMs, signals }, nth) => ({
        afterMs: ANSWER_MS + afterMs,
        signals: [
          ...(nth === 0 ? typing(false) : []),
          ...signals,
          ...(nth === answers.length - 1 ? presence(false) : []),
        ],
      })),
    );
  }
  return turns.map(({ afterMs, signals }) => ({ afterMs: delay + afterMs, signals: writeSignals(signals) }));
}
