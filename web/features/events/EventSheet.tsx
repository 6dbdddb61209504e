/** One event as the API returns it. */
import { Group, Stack } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { ObjectButton } from './ObjectButton.tsx';

export function EventSheet({ event }: { event: EventObject }) {
  const { workspace } = useWorkspace();
  return (
    <Stack>
      <Group gap="xs">
        <ButtonLink
          size="xs"
          variant="default"
          to="/w/$workspace/events/$id"
          params={{ workspace: workspace.slug, id: event.id }}
        >
          {t('Open event')}
        </ButtonLink>
        <ObjectButton event={event} />
      </Group>
      <DescriptionList
        rows={[
          [t('ID'), <Id id={event.id} />],
          [t('Sequence'), event.sequence],
          [t('Created'), <RelativeTime at={event.created_at} />],
        ]}
      />
      <JsonView value={event} />
      <AsCurl call={{ method: 'GET', path: `/events/${event.id}` }} />
    </Stack>
  );
}
