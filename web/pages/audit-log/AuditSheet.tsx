/** One entry of the audit log. */
import { Stack } from '@mantine/core';
import type { AuditEntry } from '../../api/types.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';

export function AuditSheet({ entry }: { entry: AuditEntry }) {
  const { actor, target } = entry;
  return (
    <Stack>
      <DescriptionList
        rows={[
          ['When', <RelativeTime at={entry.created_at} />],
          ['Who', actor.name ?? actor.type],
          actor.id ? ['Actor', <Id id={actor.id} />] : null,
          target.id ? ['Target', <Id id={target.id} />] : null,
          ['From', <span className={ui.mono}>{entry.ip ?? '–'}</span>],
          entry.request_id ? ['Request', <Id id={entry.request_id} of="request id" />] : null,
        ]}
      />
      <JsonView value={entry.details} />
      <AsCurl call={{ method: 'GET', path: '/audit-log' }} />
    </Stack>
  );
}
