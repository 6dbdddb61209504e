/** What arrives at one inspector, as it arrives. */
import { Group, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconInbox } from '@tabler/icons-react';
import { useState } from 'react';
import { inspectorRequestsQuery } from '../../api/inspectors.ts';
import type { Inspector, InspectorRequestSummary } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import classes from './inspector.module.css';
import { RequestSheet } from './RequestSheet.tsx';
import { size } from './request-text.ts';
import { Signature } from './Signature.tsx';

const route = getRouteApi('/w/$workspace/inspector');

const title = ({ event_type: type, method, path }: InspectorRequestSummary): string =>
  type ?? `${method} ${path}`.trim();

const COLUMNS: Column<InspectorRequestSummary>[] = [
  { key: 'number', title: '#', width: 56, render: ({ number }) => <Text c="dimmed">{number}</Text> },
  {
    key: 'what',
    title: 'Request',
    render: (request) => (
      <Text truncate className={`${ui.mono} ${classes.what}`}>
        {title(request)}
      </Text>
    ),
  },
  { key: 'signature', title: 'Signature', render: ({ signature }) => <Signature of={signature} /> },
  { key: 'answered', title: 'Answered', from: 'medium', render: ({ answered }) => answered.status },
  {
    key: 'size',
    title: 'Size',
    align: 'right',
    from: 'wide',
    width: 90,
    render: (request) => size(request.size),
  },
  {
    key: 'created_at',
    title: 'Arrived',
    from: 'medium',
    width: 140,
    render: (request) => <RelativeTime at={request.created_at} />,
  },
];

interface LiveRequestsProps {
  inspector: Inspector;
  busy: boolean;
}

/** To be given the inspector's id as its key. */
export function LiveRequests({ inspector, busy }: LiveRequestsProps) {
  const { workspace } = useWorkspace();
  const { request: id } = route.useSearch();
  const navigate = route.useNavigate();
  const visible = useDocumentVisibility() === 'visible';
  const requests = useQuery(inspectorRequestsQuery(workspace.id, inspector.id, visible));
  // What was there at first is not new.
  const [before, setBefore] = useState<number>();
  if (before === undefined && requests.data) setBefore(requests.data[0]?.number ?? 0);
  const select = (chosen: string | undefined) =>
    void navigate({ search: (search) => ({ ...search, request: chosen }), replace: true });
  const lost = requests.failureCount > 0;
  return (
    <>
      <Text component="div" c="dimmed" role="status" className={classes.live}>
        <StateDot tone={lost ? 'warn' : visible ? 'live' : 'idle'}>
          {lost ? 'connecting again' : visible ? 'live' : 'paused'}
        </StateDot>
      </Text>
      <DataTable
        label="Requests"
        list={requests}
        columns={COLUMNS}
        selected={id}
        fresh={({ number }) => before !== undefined && number > before}
        onSelect={select}
        empty={
          <EmptyList icon={IconInbox} title="Waiting for the first request">
            Set the address as the url of a webhook and send a test, or send anything to it yourself.
          </EmptyList>
        }
      />
      {requests.data?.length === 0 && (
        <Group justify="center">
          <div className={classes.try}>
            <CodeBlock text={`curl -d '{"hello": "world"}' ${inspector.url}`} label="Copy cURL" wrap />
          </div>
        </Group>
      )}
      <OnceOpened opened={id !== undefined}>
        <SideSheet
          record={requests.data?.find((one) => one.id === id)}
          ids={requests.data?.map((one) => one.id) ?? []}
          title={(one) => (
            <span className={ui.mono}>
              #{one.number} {title(one)}
            </span>
          )}
          onSelect={select}
          busy={busy}
        >
          {(one) => <RequestSheet key={one.id} request={one} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
