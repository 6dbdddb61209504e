/** The details of one publication: payload, results by destination, and buttons to replay or cancel it. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconHistory, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { send } from '../../api/call.ts';
import { plural, t } from '../../copy/text.ts';
import {
  cancelPublication,
  publicationQuery,
  refreshPublications,
  replayPublication,
} from '../../api/publications.ts';
import { endpointQuery } from '../../api/publishing.ts';
import type { Publication, PublicationDetail } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Accordion } from '../../design/Accordion.tsx';
import { HeaderTable, getHeaders } from '../../design/HeaderTable.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { TextLink } from '../../design/links.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { canBeCanceled, sourceLabel, explainStatus } from './publication-text.ts';
import { Results } from './Results.tsx';

const ReplayDialog = lazyDialog(() => import('./ReplayDialog.tsx'), 'ReplayDialog');

interface PublicationSheetProps {
  publication: Publication;
  /** Called when a dialog of the sheet opens or closes. */
  onDialog: (open: boolean) => void;
  /** Opens another publication. */
  onOpen: (id: string) => void;
}

export function PublicationSheet({ publication, onDialog, onOpen }: PublicationSheetProps) {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(publicationQuery(workspace.id, publication.id));
  const endpoint = useQuery({ ...endpointQuery(workspace.id, publication.endpoint_id), retry: false });
  const [replaying, setReplaying] = useState(false);
  const openReplay = (open: boolean) => {
    setReplaying(open);
    onDialog(open);
  };
  const cancelCall = cancelPublication(publication.id);
  const cancel = useMutation({
    mutationFn: () => send(workspace.id, cancelCall),
    onSuccess: () => {
      notifyDone(t('Publication canceled'));
      void refreshPublications(client, workspace.id);
    },
  });
  const current = data ?? publication;
  return (
    <Stack>
      {write && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconHistory size={14} />}
            disabled={!data || !endpoint.data}
            onClick={() => openReplay(true)}
          >
            {t('Replay')}
          </Button>
          {canBeCanceled(current) && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerStop size={14} />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {t('Cancel publication')}
            </Button>
          )}
        </Group>
      )}
      {cancel.error && <ProblemAlert error={cancel.error} />}
      {explainStatus(current) !== null && <Text c="dimmed">{explainStatus(current)}</Text>}
      <DescriptionList
        rows={[
          [t('Publication'), <Id id={current.id} />],
          [
            t('Endpoint'),
            endpoint.data ? (
              <TextLink
                to="/w/$workspace/publishing/$id"
                params={{ workspace: workspace.slug, id: current.endpoint_id }}
              >
                {endpoint.data.object.name}
              </TextLink>
            ) : (
              <Id id={current.endpoint_id} short />
            ),
          ],
          [t('Received'), <RelativeTime at={current.created_at} />],
          current.scheduled_at !== null
            ? [t('Scheduled for'), <RelativeTime at={current.scheduled_at} />]
            : null,
          current.finished_at !== null ? [t('Completed'), <RelativeTime at={current.finished_at} />] : null,
          [t('Source'), sourceLabel(current)],
          [
            t('Revision'),
            <Revision publication={current} currentRevision={endpoint.data?.object.revision} />,
          ],
          current.replay_of !== null
            ? [t('Replay of'), <PublicationButton id={current.replay_of} onOpen={onOpen} />]
            : null,
          current.duplicate_of !== null
            ? [t('Duplicate of'), <PublicationButton id={current.duplicate_of} onOpen={onOpen} />]
            : null,
        ]}
      />
      {current.error && (
        <div className={atoms.fault}>
          <Text fw={500}>{current.error.detail}</Text>
          {current.error.errors.map(({ pointer, code, detail }) => (
            <Text key={pointer + code}>
              <span className={ui.mono}>{pointer}</span> {detail}
            </Text>
          ))}
        </div>
      )}
      {data ? (
        <Details publication={data} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label={t('Loading publication')} />
      )}
      <AsCurl
        call={[
          { method: 'GET', path: `/publications/${publication.id}` },
          replayPublication(publication.id, { template: 'present' }),
          ...(canBeCanceled(current) ? [cancelCall] : []),
        ]}
      />
      {data && (
        <ReplayDialog
          publication={data}
          currentRevision={endpoint.data?.object.revision}
          opened={replaying}
          onClose={() => openReplay(false)}
          onDone={({ id }) => {
            openReplay(false);
            notifyDone(t('Replay started'));
            void refreshPublications(client, workspace.id);
            onOpen(id);
          }}
        />
      )}
    </Stack>
  );
}

function Revision({
  publication,
  currentRevision,
}: {
  publication: Publication;
  currentRevision: number | undefined;
}) {
  const { revision } = publication;
  return (
    <>
      {revision}{' '}
      {currentRevision !== undefined && currentRevision !== revision && (
        <Text span c="dimmed">
          {t('(the current revision is {revision})', { revision: currentRevision })}
        </Text>
      )}
    </>
  );
}

function PublicationButton({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
  return (
    <span className={ui.id}>
      <Button size="compact-xs" variant="default" className={ui.mono} onClick={() => onOpen(id)}>
        {`pub_…${id.slice(-6)}`}
      </Button>
    </span>
  );
}

function Details({ publication }: { publication: PublicationDetail }) {
  const { payload, headers, query } = publication;
  const queryCount = Object.keys(query).length;
  return (
    <>
      <Results publication={publication} />
      <div>
        <Title order={3} mb={6}>
          {t('Payload')}{' '}
          <Text span size="xs" c="dimmed" fw={400}>
            {[
              publication.content_type,
              plural(publication.size, { one: '{count} byte', other: '{count} bytes' }),
              publication.replaced_characters > 0 &&
                plural(publication.replaced_characters, {
                  one: '{count} character replaced by U+FFFD',
                  other: '{count} characters replaced by U+FFFD',
                }),
            ]
              .filter(Boolean)
              .join(', ')}
          </Text>
        </Title>
        <JsonView value={payload} maxHeight={360} />
        <Text size="xs" c="dimmed" mt={4}>
          {t('Values that look like secrets are masked here. Templates receive the original values.')}
        </Text>
      </div>
      <Accordion title={t('Headers')} note={String(Object.keys(headers).length)}>
        <HeaderTable label={t('Headers')} headers={getHeaders(headers)} />
      </Accordion>
      {queryCount > 0 && (
        <Accordion title={t('Query')} note={String(queryCount)}>
          <JsonView value={query} />
        </Accordion>
      )}
    </>
  );
}
