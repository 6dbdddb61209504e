/** One request of the log, and its command to copy. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { curlFor } from '../../api/curl.ts';
import { toCallId, hasCall, modelCallQuery } from '../../api/model-calls.ts';
import type { ApiRequest } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { formatDuration } from '../../design/duration-text.ts';
import { Sender, StatusCode } from './request-columns.tsx';
import { errorPage, getPath, requestCall } from './request-text.ts';

export function RequestSheet({ request }: { request: ApiRequest }) {
  const { workspace } = useWorkspace();
  const readsKeys = useCan('api_keys:read');
  const { actor, error_code: error } = request;
  const { data: call } = useQuery({
    ...modelCallQuery(workspace.id, toCallId(request)),
    enabled: hasCall(request),
    retry: false,
  });
  const command = curlFor(requestCall(request));
  const params = { workspace: workspace.slug };
  return (
    <Stack>
      <DescriptionList
        rows={[
          [t('Status'), <StatusCode status={request.status} />],
          error
            ? [
                t('Error'),
                <Anchor href={errorPage(error)} target="_blank" rel="noreferrer" className={ui.mono}>
                  {error}
                </Anchor>,
              ]
            : null,
          [t('Operation'), <span className={ui.mono}>{request.operation}</span>],
          call ? [t('Model'), <span className={ui.mono}>{call.model}</span>] : null,
          [t('Path'), <span className={ui.mono}>{`${request.method} ${getPath(request)}`}</span>],
          [
            actor.type === 'api_key' ? t('API key') : t('Person'),
            actor.type === 'api_key' && readsKeys ? (
              <TextLink to="/w/$workspace/api-keys" params={params} search={{ id: actor.id }}>
                {actor.name}
              </TextLink>
            ) : (
              <Sender actor={actor} />
            ),
          ],
          [t('IP address'), <span className={ui.mono}>{request.address}</span>],
          [t('Duration'), formatDuration(request.duration_ms)],
          [t('Time'), exactTime(request.created_at)],
          [t('Request ID'), <Id id={request.id} of={t('request ID')} />],
        ]}
      />
      {call && (
        <TextLink to="/w/$workspace/model-usage" params={params} search={{ call: call.id }}>
          {t('View model call')}
        </TextLink>
      )}
      {error === 'budget_exceeded' && (
        <TextLink
          to="/w/$workspace/budgets"
          params={params}
          search={actor.type === 'api_key' ? { key: actor.id } : {}}
        >
          {t('View budgets')}
        </TextLink>
      )}
      <TextLink
        to="/w/$workspace/requests"
        params={params}
        search={actor.type === 'api_key' ? { key: actor.id } : { actor: 'user', person: actor.id }}
      >
        {t('View requests by {name}', { name: actor.name })}
      </TextLink>
      <div>
        <CodeBlock text={command} label={t('Copy cURL')} />
        <Text size="xs" c="dimmed" mt={6}>
          {request.route.includes('{')
            ? t(
                'Bodies, query strings and IDs are not kept. Replace the placeholders such as {id} with yours.',
                {
                  id: /\{\w+\}/.exec(request.route)?.[0] ?? '',
                },
              )
            : t('Bodies and query strings are not kept. Add yours before you run the command.')}
        </Text>
      </div>
      <AsCurl label={t('Retrieve this request')} call={{ method: 'GET', path: `/requests/${request.id}` }} />
    </Stack>
  );
}
