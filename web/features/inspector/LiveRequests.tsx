/** The live request log of one inspector. */
import { Group, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconInbox } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { inspectorRequestsQuery } from '../../api/inspectors.ts';
import type { Inspector, InspectorRequestSummary } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import classes from './inspector.module.css';
import { RequestSheet } from './RequestSheet.tsx';
import { formatSize } from './request-text.ts';
import { Signature } from './Signature.tsx';

const route = getRouteApi('/w/$workspace/inspector');

const title = ({ event_type: type, method, path }: InspectorRequestSummary): string =>
  type ?? `${method} ${path}`.trim();

const COLUMNS: Column<InspectorRequestSummary>[] = [
  { key: 'number', title: '#', width: 56, render: ({ number }) => <Text c="dimmed">{number}</Text> },
  {
    key: 'what',
    fixed: true,
    title: t('Request'),
    render: (request) => (
      <Text truncate className={`${ui.mono} ${classes.what}`}>
        {title(request)}
      </Text>
    ),
  },
  { key: 'signature', title: t('Signature'), render: ({ signature }) => <Signature of={signature} /> },
  { key: 'answered', title: t('Response'), from: 'medium', render: ({ answered }) => answered.status },
  {
    key: 'size',
    title: t('Size'),
    align: 'right',
    from: 'wide',
    width: 90,
    render: (request) => formatSize(request.size),
  },
  {
    key: 'created_at',
    title: t('Received'),
    from: 'medium',
    width: 140,
    render: (request) => <RelativeTime at={request.created_at} />,
  },
];

interface LiveRequestsProps {
  inspector: Inspector;
  busy: boolean;
}

/** Needs the inspector's ID as its `key`, so that its state starts over for another inspector. */
export function LiveRequests({ inspector, busy }: LiveRequestsProps) {
  const { workspace } = useWorkspace();
  const { request: id } = route.useSearch();
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const requests = useQuery(inspectorRequestsQuery(workspace.id, inspector.id, visible && !paused));
  // Requests of the first response are not highlighted as new.
  const [before, setBefore] = useState<number>();
  if (before === undefined && requests.data) setBefore(requests.data[0]?.number ?? 0);
  const polled = visible ? 'live' : 'paused';
  return (
    <>
      <LiveLog
        part
        name="inspector-requests"
        title={t('Requests')}
        list={requests}
        columns={COLUMNS}
        selected={id}
        link={sheetLink('request')}
        rowLabel={title}
        fresh={({ number }) => before !== undefined && number > before}
        live={{ state: requests.failureCount > 0 ? 'retrying' : polled, paused, onPause: setPaused }}
        empty={
          <EmptyList icon={IconInbox} title={t('Waiting for the first request')}>
            {t('Use this URL for a webhook and send a test, or send any request to it.')}
          </EmptyList>
        }
      />
      {requests.data?.length === 0 && (
        <Group justify="center">
          <div className={classes.try}>
            <CodeBlock text={`curl -d '{"hello": "world"}' ${inspector.url}`} label={t('Copy cURL')} />
          </div>
        </Group>
      )}
      <RecordSheet
        param="request"
        rows={requests.data}
        title={(one) => (
          <span className={ui.mono}>
            #{one.number} {title(one)}
          </span>
        )}
        busy={busy}
      >
        {(one) => <RequestSheet key={one.id} request={one} />}
      </RecordSheet>
    </>
  );
}
