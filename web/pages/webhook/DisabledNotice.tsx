/** Why a webhook is disabled, and what to do about it. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlugConnectedX } from '@tabler/icons-react';
import type { Webhook } from '../../api/types.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { DISABLED } from '../webhooks/health-text.ts';
import classes from './webhook.module.css';

interface DisabledNoticeProps {
  webhook: Webhook;
  /** Absent where the reader may not write. */
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
        {advice} It was disabled <RelativeTime at={webhook.disabled_at} />.
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
            Enable
          </Button>
        </Group>
      )}
    </Alert>
  );
}
