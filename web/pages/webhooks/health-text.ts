/** The states of a webhook's health as colours and words, for every place that shows them. */
import type { WebhookHealth } from '../../api/types.ts';

type State = WebhookHealth['state'];

const HEALTH_TONES = { healthy: 'good', failing: 'bad', idle: 'idle', disabled: 'idle' } as const;

const ENABLE_AGAIN = 'If you still need the webhook, enable it, then replay the events that it missed.';

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
  api_key_revoked: {
    word: 'key revoked',
    tone: 'idle',
    title: 'Disabled with the API key that created it',
    advice: `The key was revoked. ${ENABLE_AGAIN}`,
  },
  api_key_expired: {
    word: 'key expired',
    tone: 'idle',
    title: 'Disabled with the API key that created it',
    advice: `The key expired. ${ENABLE_AGAIN}`,
  },
  member_removed: {
    word: 'member removed',
    tone: 'idle',
    title: 'Disabled with the member who created it',
    advice: `The member was removed from the workspace. ${ENABLE_AGAIN}`,
  },
} as const;

/** @param reason why it is disabled, where it is */
export function healthWord(state: State, reason: WebhookHealth['disabled_reason']): string {
  if (state !== 'disabled' || reason === null) return state;
  return reason === 'user' ? 'disabled' : `disabled, ${DISABLED[reason].word}`;
}

export const healthTone = (state: State, reason: WebhookHealth['disabled_reason']) =>
  state === 'disabled' && reason !== null ? DISABLED[reason].tone : HEALTH_TONES[state];
