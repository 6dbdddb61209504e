/** Schedules the events after a message to a scripted contact: delivery, read receipt and replies, or a bounce. */
import {
  ANSWER_MS,
  getResponses,
  type ScriptedRequest,
  buildScene,
  type ReplyStep,
} from './sandbox-replies.ts';
import { isMute, SLOW_MS } from './sandbox-faults.ts';
import type { Step } from './sandbox-sent.system-store.ts';
import { type StoredSignal, writeSignals } from './sandbox-signal.ts';

/** Long enough to usually arrive after the acknowledgement, as on a real network. */
export const DELIVERED_MS = 40;
export const READ_MS = 200;
const BOUNCE_MS = 300;

/** Returns the signals to the sender of a message to a scripted contact, and their delays. */
export function getSteps(request: ScriptedRequest): Step[] {
  const { message, fault, self, replies } = request;
  if (isMute(fault)) return [];
  const scene = buildScene(request);
  const { contact, chat, at } = scene;
  const own = { externalId: message.clientId, clientId: message.clientId };
  const delay = fault === 'slow' ? SLOW_MS : 0;
  const receipt = (status: 'delivered' | 'read', ms: number): StoredSignal => ({
    kind: 'receipt',
    ...own,
    status,
    error: null,
    at: at(delay + ms),
  });
  const steps: ReplyStep[] = [];
  if (fault === 'bounce')
    steps.push({
      afterMs: BOUNCE_MS,
      signals: [
        {
          kind: 'receipt',
          ...own,
          status: 'failed',
          error: { code: 'undeliverable', detail: 'The message bounced.' },
          at: at(BOUNCE_MS),
        },
      ],
    });
  else {
    const answers = replies && contact !== self ? getResponses(request, scene) : [];
    const typing = (isTyping: boolean): StoredSignal[] =>
      answers.length ? [{ kind: 'typing', chat, address: contact, isTyping }] : [];
    const presence = (isOnline: boolean): StoredSignal[] =>
      answers.length ? [{ kind: 'presence', address: contact, isOnline }] : [];
    steps.push(
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
  return steps.map(({ afterMs, signals }) => ({ afterMs: delay + afterMs, signals: writeSignals(signals) }));
}
