/** Lists updates from the channel that could not be processed, to inspect and replay them. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ApiCall, send } from '../../api/call.ts';
import { formatNumber, plural, t } from '../../copy/text.ts';
import { instancesKey } from '../../api/instances.ts';
import {
  replayUpdate,
  replayUpdates,
  unprocessedUpdateQuery,
  unprocessedUpdatesQuery,
  MAX_COUNTED,
} from '../../api/unprocessed-updates.ts';
import type { Instance, UnprocessedUpdate } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { notifyFailed } from '../../design/notify.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';

const REASONS: Record<UnprocessedUpdate['reason'], string> = {
  unknown_kind: t('Unknown kind of content'),
  malformed: t('Missing or invalid members'),
  no_sender: t('No known sender'),
  driver_error: t('Error while reading'),
  not_storable: t('Could not be stored'),
  expired: t('Not connected for 7 days'),
};

/** Indents JSON; truncated text is left unchanged. */
function indent(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
}

function Content({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(unprocessedUpdateQuery(workspace.id, id));
  if (!data) return <Text c="dimmed">…</Text>;
  return (
    <CodeBlock text={data.raw} label={t('Copy content')} maxHeight={320}>
      {indent(data.raw)}
    </CodeBlock>
  );
}

function useReplay() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (call: ApiCall) => send(workspace.id, call),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) }),
    onError: notifyFailed,
  });
}

function Update({ update }: { update: UnprocessedUpdate }) {
  const write = useCan('messages:write');
  const replay = useReplay();
  const { id, reason, type, created_at: at, raw_truncated: isCut, replay_requested_at: requestedAt } = update;
  return (
    <Accordion title={REASONS[reason]} {...(type !== null && { note: type })}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            <RelativeTime at={at} />
          </Text>
          {write && !isCut && (
            <Button
              size="xs"
              variant="default"
              loading={replay.isPending}
              disabled={requestedAt !== null}
              onClick={() => replay.mutate(replayUpdate(id))}
            >
              {requestedAt === null ? t('Read again') : t('Waiting to be read')}
            </Button>
          )}
        </Group>
        {isCut && (
          <Text size="sm" c="dimmed">
            {t("The content was too large and was cut, so it can't be read again.")}
          </Text>
        )}
        <Content id={id} />
      </Stack>
    </Accordion>
  );
}

/** Shown only if there are any. */
export function UnprocessedUpdates({ instance }: { instance: Instance }) {
  const { workspace } = useWorkspace();
  const write = useCan('messages:write');
  const { count } = instance.unprocessed_updates;
  const updates = useInfiniteQuery(unprocessedUpdatesQuery(workspace.id, instance.id, count));
  const replay = useReplay();
  return (
    <Stack gap="xs" mt="xl" maw={760} component="section" aria-labelledby="unprocessed-updates">
      <Group justify="space-between">
        <Title order={2} id="unprocessed-updates">
          {t('Unprocessed updates')}
        </Title>
        {write && (
          <Button
            size="xs"
            variant="default"
            loading={replay.isPending}
            onClick={() => replay.mutate(replayUpdates(instance.id))}
          >
            {t('Read all again')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {count >= MAX_COUNTED
          ? t(
              'The channel sent {count} or more updates that this version of Fairlead could not read. Read them again after an upgrade.',
              { count: formatNumber(count) },
            )
          : plural(count, {
              one: 'The channel sent {count} update that this version of Fairlead could not read. Read it again after an upgrade.',
              other:
                'The channel sent {count} updates that this version of Fairlead could not read. Read them again after an upgrade.',
            })}
      </Text>
      {updates.data?.map((update) => (
        <Update key={update.id} update={update} />
      ))}
      {updates.hasNextPage && (
        <Group>
          <Button
            size="xs"
            variant="subtle"
            loading={updates.isFetchingNextPage}
            onClick={() => void updates.fetchNextPage()}
          >
            {t('Show more')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
