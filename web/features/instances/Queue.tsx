/** Lists the queued sends of an instance, in order. */
import { Button, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { IconStack2, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { t } from '../../copy/text.ts';
import { queueQuery } from '../../api/queue.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { QUEUE_COLUMNS } from './queue-columns.tsx';
import { getExampleAddress } from './example-address.ts';

interface QueueProps {
  instance: Instance;
  /** Absent without permission to write. */
  onClear: (() => void) | undefined;
}

export function Queue({ instance, onClear }: QueueProps) {
  const { workspace } = useWorkspace();
  const reads = useCan('messages:read');
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const query = queueQuery(workspace.id, instance.id, !paused);
  const queue = useInfiniteQuery({ ...query, enabled: reads });
  const pages = useQueryClient().getQueryData(query.queryKey)?.pages.length ?? 0;
  // Entries have no ID; their position in the queue is unique.
  const rows = useMemo(
    () => queue.data?.map((entry) => ({ ...entry, id: String(entry.position) })),
    [queue.data],
  );
  if (!reads) return <Text c="dimmed">{t("Your role can't view messages.")}</Text>;
  const state = queue.failureCount > 0 ? 'retrying' : visible ? 'live' : 'paused';
  return (
    <LiveLog
      part
      name="queue"
      title={t('Queue')}
      list={{ ...queue, data: rows }}
      columns={QUEUE_COLUMNS}
      live={{
        state,
        paused,
        onPause: setPaused,
        ...(pages > 1 && state === 'live' && { note: t('Not live: showing older entries') }),
      }}
      buttons={
        onClear && (
          <Button size="xs" variant="default" leftSection={<IconTrash size={14} />} onClick={onClear}>
            {t('Clear queue')}
          </Button>
        )
      }
      empty={
        <EmptyList
          icon={IconStack2}
          title={t('The queue is empty')}
          call={{
            method: 'POST',
            path: '/messages',
            body: {
              instance_id: instance.id,
              to: getExampleAddress(instance.channel),
              type: 'text',
              text: { body: 'Hi!' },
            },
          }}
        >
          {t("Messages wait here until the channel accepts them. Each chat's messages are sent in order.")}
        </EmptyList>
      }
    />
  );
}
