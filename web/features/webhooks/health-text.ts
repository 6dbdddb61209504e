/** Labels and colors of webhook health, and the reasons why a webhook is disabled. */
import { t } from '../../copy/text.ts';
import type { WebhookHealth } from '../../api/types.ts';

type State = WebhookHealth['state'];

const HEALTH_TONES = {
  healthy: 'good',
  degraded: 'warn',
  failing: 'bad',
  idle: 'idle',
  disabled: 'idle',
} as const;

const HEALTH_LABELS: Record<State, string> = {
  healthy: t('Healthy'),
  degraded: t('Degraded'),
  failing: t('Failing'),
  idle: t('Idle'),
  disabled: t('Disabled'),
};

const ENABLE_AGAIN = t('If you still need this webhook, enable it and replay the events it missed.');

/** Why a webhook is disabled, and how to fix it. */
export const DISABLED = {
  gone: {
    label: t('Disabled: gone'),
    tone: 'bad',
    title: t('Disabled: endpoint returned 410 Gone'),
    advice: t(
      'The endpoint returned 410 Gone, so Fairlead stopped sending events. Correct the URL and enable the webhook, or delete it.',
    ),
  },
  failing: {
    label: t('Disabled: failing'),
    tone: 'bad',
    title: t('Disabled after 5 days of failures'),
    advice: t(
      'Every delivery failed for 5 days. Fix your endpoint, then enable the webhook and replay the events it missed.',
    ),
  },
  user: {
    label: t('Disabled'),
    tone: 'idle',
    title: t('Disabled by a workspace member'),
    advice: t(
      "Events aren't sent while this webhook is disabled. After you enable it, you can replay missed events.",
    ),
  },
  api_key_revoked: {
    label: t('Disabled: key revoked'),
    tone: 'idle',
    title: t('Disabled: API key no longer valid'),
    advice: `${t('The API key that created this webhook was revoked.')} ${ENABLE_AGAIN}`,
  },
  api_key_expired: {
    label: t('Disabled: key expired'),
    tone: 'idle',
    title: t('Disabled: API key no longer valid'),
    advice: `${t('The API key that created this webhook expired.')} ${ENABLE_AGAIN}`,
  },
  member_removed: {
    label: t('Disabled: member removed'),
    tone: 'idle',
    title: t('Disabled: member removed'),
    advice: `${t('The member who created this webhook was removed from the workspace.')} ${ENABLE_AGAIN}`,
  },
} as const;

/** @param reason why the webhook is disabled; null in other states */
export function healthLabel(state: State, reason: WebhookHealth['disabled_reason']): string {
  return state === 'disabled' && reason !== null ? DISABLED[reason].label : HEALTH_LABELS[state];
}

export const healthTone = (state: State, reason: WebhookHealth['disabled_reason']) =>
  state === 'disabled' && reason !== null ? DISABLED[reason].tone : HEALTH_TONES[state];
