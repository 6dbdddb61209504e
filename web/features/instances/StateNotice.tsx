/** Explains why an instance can't send and what to do about it. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPencil, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { getAdvice, stateTone } from './instance-text.ts';
import classes from './instance.module.css';
import { useConnect } from './use-connect.ts';

const LOOKS = {
  bad: { color: 'red', className: classes.noticeBad },
  warn: { color: 'yellow', className: classes.noticeWarn },
  idle: { color: 'gray', className: classes.notice },
} as const;

interface StateNoticeProps {
  instance: Instance;
  /** Absent without permission to write. */
  onEdit: (() => void) | undefined;
}

export function StateNotice({ instance, onEdit }: StateNoticeProps) {
  const write = useCan('instances:write');
  const connect = useConnect();
  const advice = getAdvice(instance);
  if (!advice) return null;
  const tone = stateTone(instance.state);
  const { color, className } = tone === 'bad' || tone === 'warn' ? LOOKS[tone] : LOOKS.idle;
  return (
    <Alert
      color={color}
      variant="light"
      mb="md"
      {...(className && { className })}
      icon={<IconPlugConnectedX size={16} />}
      title={advice.title}
    >
      <Text maw={720}>{advice.text}</Text>
      <Group gap="xs" mt="sm">
        {onEdit && instance.state === 'failed' && (
          <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={onEdit}>
            {t('Edit settings')}
          </Button>
        )}
        {write && instance.state === 'reconnecting' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlugConnected size={14} />}
            loading={connect.isPending}
            onClick={() => connect.mutate(instance.id)}
          >
            {t('Retry now')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
