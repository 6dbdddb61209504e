/** Shows one model call: its outcome, its usage, and its prompt and response if they are stored. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasRequest, modelCallQuery, toRequestId } from '../../api/model-calls.ts';
import type { ModelCall } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';
import { Status } from '../../design/Status.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { formatUsd } from '../budgets/budget-text.ts';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { formatDuration } from '../../design/duration-text.ts';
import { formatAttempt, formatCode, formatLatency, listTokenDetails, OUTCOMES } from './usage-text.ts';

const MAX_HEIGHT = 320;

export function CallSheet({ call }: { call: ModelCall }) {
  const { workspace } = useWorkspace();
  const { tone, label } = OUTCOMES[call.outcome];
  const [now] = useState(Date.now);
  return (
    <Stack>
      <DescriptionList
        rows={[
          [
            t('Status'),
            <Status tone={tone}>{call.status === null ? label : `${label} (${call.status})`}</Status>,
          ],
          call.error_code
            ? [t('Error'), <span className={ui.mono}>{formatCode(call.error_code)}</span>]
            : null,
          [t('Operation'), <span className={ui.mono}>{`/${call.operation}`}</span>],
          call.route ? [t('Route'), <span className={ui.mono}>{call.route}</span>] : null,
          call.attempts?.length
            ? [t('Attempts'), <span className={ui.mono}>{call.attempts.map(formatAttempt).join(', ')}</span>]
            : null,
          [t('Called by'), <ObjectName id={call.actor} />],
          call.test ? [t('Purpose'), t('Provider test')] : null,
          [t('Input tokens'), formatNumber(call.input_tokens)],
          [t('Output tokens'), formatNumber(call.output_tokens)],
          ...listTokenDetails(call).map(([name, count]): [string, string] => [name, formatNumber(count)]),
          [t('Cost'), call.cost_usd === null ? t('Unknown') : formatUsd(call.cost_usd)],
          [t('First byte'), formatLatency(call.first_byte_ms)],
          [t('Duration'), formatDuration(call.duration_ms)],
          [t('Created'), exactTime(call.created_at)],
          [t('ID'), <Id id={call.id} of={t('call')} />],
          hasRequest(call, now)
            ? [
                t('Request'),
                <TextLink
                  to="/w/$workspace/requests"
                  params={{ workspace: workspace.slug }}
                  search={{ id: toRequestId(call) }}
                >
                  {toRequestId(call)}
                </TextLink>,
              ]
            : null,
        ]}
      />
      {call.has_content ? (
        <Content id={call.id} />
      ) : (
        <Text size="sm" c="dimmed">
          {t(
            'The prompt and response are not stored. To keep them for future calls, turn on storage in Workspace settings.',
          )}
        </Text>
      )}
      <AsCurl call={{ method: 'GET', path: `/model-calls/${call.id}` }} />
    </Stack>
  );
}

function Content({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data, error, refetch } = useQuery(modelCallQuery(workspace.id, id));
  if (error && !data) return <FailedList error={error} retry={() => void refetch()} />;
  if (!data) return <LoadingList />;
  const { content } = data;
  // Its days were over in the meantime.
  if (!content) return null;
  const bodies = [
    { label: t('Request'), text: content.request },
    { label: t('Response'), text: content.response },
  ];
  return (
    <>
      {bodies.map(({ label, text }) => (
        <section key={label}>
          <Title order={3} size="h5" mb={6}>
            {label}
          </Title>
          {text === null ? (
            <Text size="sm" c="dimmed">
              {t('None')}
            </Text>
          ) : (
            <CodeBlock text={text} label={t('Copy {label}', { label })} maxHeight={MAX_HEIGHT} />
          )}
        </section>
      ))}
      {content.truncated && (
        <Text size="sm" c="dimmed">
          {t('Only the first 64 KiB of each are stored.')}
        </Text>
      )}
    </>
  );
}
