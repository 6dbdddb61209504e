/** What an account has still to send, in its order. */
import { Button, Group, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { IconStack2, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { queueQuery } from '../../api/queue.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import { QUEUE_COLUMNS } from './queue-columns.tsx';

interface QueueProps {
  instance: Instance;
  /** Absent where the reader may not write. */
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
  // An entry has no id of its own; its place in the queue tells it from all others.
  const rows = useMemo(
    () => queue.data?.map((entry) => ({ ...entry, id: String(entry.position) })),
    [queue.data],
  );
  if (!reads) return <Text c="dimmed">Your role does not read messages.</Text>;
  const [tone, said] =
    queue.failureCount > 0
      ? (['warn', 'connecting again'] as const)
      : paused || !visible
        ? (['idle', 'paused'] as const)
        : pages > 1
          ? (['idle', 'not live: more than a page is shown'] as const)
          : (['live', 'live'] as const);
  return (
    <>
      {rows !== undefined && rows.length > 0 && (
        <Group gap="sm" mb="sm">
          <LiveState paused={paused} onPause={setPaused} tone={tone} said={said} />
          {onClear && (
            <Button
              size="xs"
              variant="default"
              ml="auto"
              leftSection={<IconTrash size={14} />}
              onClick={onClear}
            >
              Clear the queue
            </Button>
          )}
        </Group>
      )}
      <DataTable
        label="Queue"
        list={{ ...queue, data: rows }}
        columns={QUEUE_COLUMNS}
        empty={
          <EmptyList
            icon={IconStack2}
            title="Nothing waits"
            call={{
              method: 'POST',
              path: '/messages',
              body: { instance_id: instance.id, to: 'alice', type: 'text', text: { body: 'Hi!' } },
            }}
          >
            What is to be sent stands here until the channel has taken it: in order for each chat, at the pace
            that the channel allows.
          </EmptyList>
        }
      />
    </>
  );
}
