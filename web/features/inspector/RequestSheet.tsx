/** The details of one request: origin, signature, headers, and body, all shown as plain text. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { formatNumber, t } from '../../copy/text.ts';
import { inspectorRequestQuery } from '../../api/inspectors.ts';
import type { InspectorRequest, InspectorRequestSummary } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { BodyText } from '../../design/BodyText.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import { HeaderTable } from '../../design/HeaderTable.tsx';
import { TextLink } from '../../design/links.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { formatSize } from './request-text.ts';
import { Signature } from './Signature.tsx';

export function RequestSheet({ request }: { request: InspectorRequestSummary }) {
  const { workspace } = useWorkspace();
  const query = useQuery(inspectorRequestQuery(workspace.id, request.inspector_id, request.id));
  const { answered } = request;
  const rows: DescriptionItem[] = [
    [t('Received'), <RelativeTime at={request.created_at} />],
    [t('Signature'), <Signature of={request.signature} />],
    request.event_type ? [t('Event'), <span className={ui.mono}>{request.event_type}</span>] : null,
    request.webhook_id
      ? [
          t('Webhook'),
          <TextLink
            to="/w/$workspace/webhooks/$id"
            params={{ workspace: workspace.slug, id: request.webhook_id }}
            className={ui.mono}
          >
            {request.webhook_id}
          </TextLink>,
        ]
      : null,
    [t('From'), <span className={ui.mono}>{request.remote_address ?? t('This server')}</span>],
    [
      t('Size'),
      request.truncated
        ? t('{size}, truncated to 256 KiB', { size: formatSize(request.size) })
        : formatSize(request.size),
    ],
    [
      t('Response'),
      answered.delay_ms > 0
        ? t('{status} after {delay} ms', { status: answered.status, delay: formatNumber(answered.delay_ms) })
        : String(answered.status),
    ],
  ];
  return (
    <Stack>
      <DescriptionList rows={rows} />
      {query.data ? (
        <Content request={query.data} />
      ) : query.error ? (
        <FailedList error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingList label={t('Loading request')} />
      )}
      <AsCurl call={{ method: 'GET', path: `/inspectors/${request.inspector_id}/requests/${request.id}` }} />
    </Stack>
  );
}

function Content({ request }: { request: InspectorRequest }) {
  const { body, body_encoding: encoding, query, headers } = request;
  return (
    <>
      {query !== null && query !== '' && (
        <div>
          <Title order={3} mb={6}>
            {t('Query')}
          </Title>
          <Text className={`${ui.mono} ${atoms.breaks}`}>{query}</Text>
        </div>
      )}
      <div>
        <Title order={3} mb={6}>
          {t('Body')}{' '}
          {encoding === 'base64' && (
            <Text span size="xs" c="dimmed" fw={400}>
              {t('Binary data, shown as Base64')}
            </Text>
          )}
        </Title>
        {body === null && (
          <Text c="dimmed">{t("You don't have permission to read events of this type.")}</Text>
        )}
        {body === '' && <Text c="dimmed">{t('The request body is empty.')}</Text>}
        {body && <BodyText text={body} />}
      </div>
      <div>
        <Title order={3} mb={6}>
          {t('Headers')}
        </Title>
        {headers.length > 0 ? (
          <HeaderTable label={t('Headers')} headers={headers} />
        ) : (
          <Text c="dimmed">{t("Opened in a browser. Headers aren't recorded.")}</Text>
        )}
      </div>
    </>
  );
}
