/** The states of a webhook's health as colours and words, for every place that shows them. */
import type { WebhookHealth } from '../../api/types.ts';

type State = WebhookHealth['state'];

const HEALTH_TONES = { healthy: 'good', failing: 'bad', idle: 'idle', disabled: 'idle' } as const;

/** Why a webhook is disabled, and what is to be done about it. */
export const DISABLED = {
  gone: {
    word: 'gone',
    tone: 'bad',
    title: 'Disabled: the receiver said that it is gone',
    advice:
      'It answered 410 Gone, so nothing more is sent to it. Correct the url, or delete the webhook if nobody listens any more. Once it is enabled again, replay what it missed.',
  },
  failing: {
    word: 'failing',
    tone: 'bad',
    title: 'Disabled: nothing but failures for 5 days',
    advice:
      'Look at the errors of the last deliveries and repair the receiver. Then enable the webhook, send a test, and replay what it missed.',
  },
  user: {
    word: 'by hand',
    tone: 'idle',
    title: 'Disabled by somebody of the workspace',
    advice:
      'Nothing is sent, and what happens meanwhile waits for nobody. Once it is enabled, replay what it missed.',
  },
} as const;

/** @param reason why it is disabled, where it is */
export function healthWord(state: State, reason: WebhookHealth['disabled_reason']): string {
  if (state !== 'disabled' || reason === null) return state;
  return reason === 'user' ? 'disabled' : `disabled, ${DISABLED[reason].word}`;
}

export const healthTone = (state: State, reason: WebhookHealth['disabled_reason']) =>
  state === 'disabled' && reason !== null ? DISABLED[reason].tone : HEALTH_TONES[state];
