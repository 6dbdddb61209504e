/** Explains why a webhook is disabled and how to enable it again. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlugConnectedX } from '@tabler/icons-react';
import { rich, t } from '../../copy/text.ts';
import type { Webhook } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { DISABLED } from './health-text.ts';
import classes from './webhook.module.css';

interface DisabledNoticeProps {
  webhook: Webhook;
  /** Undefined if the user may not enable the webhook. */
  onEnable: (() => void) | undefined;
  enabling: boolean;
}

export function DisabledNotice({ webhook, onEnable, enabling }: DisabledNoticeProps) {
  const { title, advice, tone } = DISABLED[webhook.disabled_reason ?? 'user'];
  return (
    <Alert
      color={tone === 'bad' ? 'red' : 'gray'}
      variant="light"
      mb="md"
      className={tone === 'bad' ? classes.noticeBad : classes.notice}
      icon={<IconPlugConnectedX size={16} />}
      title={title}
    >
      <Text maw={720}>
        {rich(
          '{advice} Disabled <time>then</time>.',
          { time: () => <RelativeTime at={webhook.disabled_at} /> },
          { advice },
        )}
      </Text>
      {onEnable && (
        <Group mt="sm">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerPlay size={14} />}
            loading={enabling}
            onClick={onEnable}
          >
            {t('Enable')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
