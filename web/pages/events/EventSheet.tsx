/** One event as the API tells it. */
import { Stack } from '@mantine/core';
import type { EventObject } from '../../api/types.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';

export function EventSheet({ event }: { event: EventObject }) {
  return (
    <Stack>
      <DescriptionList
        rows={[
          ['Id', <Id id={event.id} />],
          ['Sequence', event.sequence],
          ['When', <RelativeTime at={event.created_at} />],
        ]}
      />
      <JsonView value={event} />
      <AsCurl call={{ method: 'GET', path: `/events/${event.id}` }} />
    </Stack>
  );
}
