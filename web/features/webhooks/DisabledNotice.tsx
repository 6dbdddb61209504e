/** Explains why a webhook is disabled and how to enable it again. */
import { IconPlayerPlay, IconPlugConnectedX } from '@tabler/icons-react';
import { rich, t } from '../../copy/text.ts';
import type { Webhook } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateAlert } from '../../patterns/StateAlert.tsx';
import { DISABLED } from './health-text.ts';

interface DisabledNoticeProps {
  webhook: Webhook;
  /** Undefined if the user may not enable the webhook. */
  onEnable: (() => void) | undefined;
  enabling: boolean;
}

export function DisabledNotice({ webhook, onEnable, enabling }: DisabledNoticeProps) {
  const { title, advice, tone } = DISABLED[webhook.disabled_reason ?? 'user'];
  return (
    <StateAlert
      tone={tone === 'bad' ? 'bad' : 'idle'}
      icon={IconPlugConnectedX}
      title={title}
      action={onEnable && { label: t('Enable'), icon: IconPlayerPlay, loading: enabling, run: onEnable }}
    >
      {rich(
        '{advice} Disabled <time>then</time>.',
        { time: () => <RelativeTime at={webhook.disabled_at} /> },
        { advice },
      )}
    </StateAlert>
  );
}
