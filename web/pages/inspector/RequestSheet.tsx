/** One request as it arrived: where from, signature, headers, body. All of it is shown as text. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inspectorRequestQuery } from '../../api/inspectors.ts';
import type { InspectorRequest, InspectorRequestSummary } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { BodyText } from '../../ui/BodyText.tsx';
import { type DescriptionItem, DescriptionList } from '../../ui/DescriptionList.tsx';
import { HeaderTable } from '../../ui/HeaderTable.tsx';
import { TextLink } from '../../ui/links.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import classes from './inspector.module.css';
import { size } from './request-text.ts';
import { Signature } from './Signature.tsx';

export function RequestSheet({ request }: { request: InspectorRequestSummary }) {
  const { workspace } = useWorkspace();
  const query = useQuery(inspectorRequestQuery(workspace.id, request.inspector_id, request.id));
  const { answered } = request;
  const rows: DescriptionItem[] = [
    ['Arrived', <RelativeTime at={request.created_at} />],
    ['Signature', <Signature of={request.signature} />],
    request.event_type ? ['Event', <span className={ui.mono}>{request.event_type}</span>] : null,
    request.webhook_id
      ? [
          'Webhook',
          <TextLink
            to="/w/$workspace/webhooks/$id"
            params={{ workspace: workspace.slug, id: request.webhook_id }}
            className={ui.mono}
          >
            {request.webhook_id}
          </TextLink>,
        ]
      : null,
    ['From', <span className={ui.mono}>{request.remote_address ?? 'this server'}</span>],
    ['Size', `${size(request.size)}${request.truncated ? ', of which 256 KiB are kept' : ''}`],
    ['Answered', `${answered.status}${answered.delay_ms > 0 ? ` after ${answered.delay_ms} ms` : ''}`],
  ];
  return (
    <Stack>
      <DescriptionList rows={rows} />
      {query.data ? (
        <Whole request={query.data} />
      ) : query.error ? (
        <FailedList error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingList label="Loading the request" />
      )}
      <AsCurl call={{ method: 'GET', path: `/inspectors/${request.inspector_id}/requests/${request.id}` }} />
    </Stack>
  );
}

function Whole({ request }: { request: InspectorRequest }) {
  const { body, body_encoding: encoding, query, headers } = request;
  return (
    <>
      {query !== null && query !== '' && (
        <div>
          <Title order={3} mb={6}>
            Query
          </Title>
          <Text className={`${ui.mono} ${classes.breaks}`}>{query}</Text>
        </div>
      )}
      <div>
        <Title order={3} mb={6}>
          Body{' '}
          {encoding === 'base64' && (
            <Text span size="xs" c="dimmed" fw={400}>
              no text: shown in base64
            </Text>
          )}
        </Title>
        {body === null && <Text c="dimmed">Your role does not let you read events of this type.</Text>}
        {body === '' && <Text c="dimmed">It had none.</Text>}
        {body && <BodyText text={body} />}
      </div>
      <div>
        <Title order={3} mb={6}>
          Headers
        </Title>
        {headers.length > 0 ? (
          <HeaderTable label="Headers" headers={headers} />
        ) : (
          <Text c="dimmed">A browser opened this address. Its headers aren't recorded.</Text>
        )}
      </div>
    </>
  );
}
