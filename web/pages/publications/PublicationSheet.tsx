/** One publication: what came, what was made of it for each destination and what became of that, and doing it again. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconHistory, IconPlayerStop } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { cancelPublication, publicationQuery, refreshPublications } from '../../api/publications.ts';
import { endpointQuery } from '../../api/publishing.ts';
import type { Publication, PublicationDetail } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import { HeaderTable, headersOf } from '../../ui/HeaderTable.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { canBeCanceled, sourceWord, whyNotOf } from './publication-text.ts';
import { Results } from './Results.tsx';
import classes from './publications.module.css';

const ReplayDialog = lazy(async () => ({ default: (await import('./ReplayDialog.tsx')).ReplayDialog }));

interface PublicationSheetProps {
  publication: Publication;
  /** A dialog of the sheet stands over the page, or no more. */
  onAsking: (asking: boolean) => void;
  /** Shows another one. */
  onOpen: (id: string) => void;
}

export function PublicationSheet({ publication, onAsking, onOpen }: PublicationSheetProps) {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(publicationQuery(workspace.id, publication.id));
  const endpoint = useQuery({ ...endpointQuery(workspace.id, publication.endpoint_id), retry: false });
  const [replaying, setReplaying] = useState(false);
  const ask = (open: boolean) => {
    setReplaying(open);
    onAsking(open);
  };
  const cancel = useMutation({
    mutationFn: () => cancelPublication(workspace.id, publication.id),
    onSuccess: () => {
      notifyDone('It is not published');
      void refreshPublications(client, workspace.id);
    },
  });
  const now = data ?? publication;
  const path = `/publications/${publication.id}`;
  return (
    <Stack>
      {write && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconHistory size={14} />}
            disabled={!data || !endpoint.data}
            onClick={() => ask(true)}
          >
            Replay
          </Button>
          {canBeCanceled(now) && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerStop size={14} />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              Cancel it
            </Button>
          )}
        </Group>
      )}
      {cancel.error && <ProblemAlert error={cancel.error} />}
      {whyNotOf(now) !== null && <Text c="dimmed">{whyNotOf(now)}</Text>}
      <DescriptionList
        rows={[
          ['Publication', <Id id={now.id} />],
          [
            'Endpoint',
            endpoint.data ? (
              <TextLink
                to="/w/$workspace/publishing/$id"
                params={{ workspace: workspace.slug, id: now.endpoint_id }}
              >
                {endpoint.data.object.name}
              </TextLink>
            ) : (
              <Id id={now.endpoint_id} short />
            ),
          ],
          ['Received', <RelativeTime at={now.created_at} />],
          now.scheduled_at !== null ? ['Publishes', <RelativeTime at={now.scheduled_at} />] : null,
          now.finished_at !== null ? ['Ended', <RelativeTime at={now.finished_at} />] : null,
          ['Sender', sourceWord(now)],
          ['Revision', <Revision publication={now} present={endpoint.data?.object.revision} />],
          now.replay_of !== null ? ['Replays', <Other id={now.replay_of} onOpen={onOpen} />] : null,
          now.duplicate_of !== null ? ['Repeats', <Other id={now.duplicate_of} onOpen={onOpen} />] : null,
        ]}
      />
      {now.error && (
        <div className={classes.fault}>
          <Text fw={500}>{now.error.detail}</Text>
          {now.error.errors.map(({ pointer, code, detail }) => (
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
        <LoadingList label="Loading the publication" />
      )}
      <AsCurl
        call={[
          { method: 'GET', path },
          { method: 'POST', path: `${path}/replay`, body: { template: 'present' } },
          ...(canBeCanceled(now) ? [{ method: 'POST' as const, path: `${path}/cancel` }] : []),
        ]}
      />
      <OnceOpened opened={replaying}>
        {data && (
          <ReplayDialog
            publication={data}
            present={endpoint.data?.object.revision}
            opened={replaying}
            onClose={() => ask(false)}
            onDone={({ id }) => {
              ask(false);
              notifyDone('It is published once more');
              void refreshPublications(client, workspace.id);
              onOpen(id);
            }}
          />
        )}
      </OnceOpened>
    </Stack>
  );
}

function Revision({ publication, present }: { publication: Publication; present: number | undefined }) {
  const { revision } = publication;
  return (
    <>
      {revision}
      {present !== undefined && present !== revision && (
        <Text span c="dimmed">{` of ${present}: the endpoint was changed since`}</Text>
      )}
    </>
  );
}

function Other({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
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
  const asked = Object.keys(query).length;
  return (
    <>
      <Results publication={publication} />
      <div>
        <Title order={3} mb={6}>
          Payload{' '}
          <Text span size="xs" c="dimmed" fw={400}>
            {[publication.content_type, `${publication.size.toLocaleString('en')} bytes`]
              .filter(Boolean)
              .join(', ')}
          </Text>
        </Title>
        <JsonView value={payload} maxHeight={360} />
        <Text size="xs" c="dimmed" mt={4}>
          What looks like a secret is masked here; templates see it as it came.
        </Text>
      </div>
      <Accordion title="Headers" note={String(Object.keys(headers).length)}>
        <HeaderTable label="Headers" headers={headersOf(headers)} />
      </Accordion>
      {asked > 0 && (
        <Accordion title="Query" note={String(asked)}>
          <JsonView value={query} />
        </Accordion>
      )}
    </>
  );
}
