/** One publishing endpoint: its editor, what came in through it, and how it is set. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { endpointQuery } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useEndpointSwitch } from '../publishing/use-endpoint-switch.tsx';
import classes from './editor.module.css';
import { Editing } from './Editing.tsx';
import { type EndpointAction, EndpointHeader } from './EndpointHeader.tsx';
import { useEditing } from './use-editing.ts';
import { useLeaving } from './use-leaving.tsx';

const DisabledNotice = lazy(async () => ({ default: (await import('./DisabledNotice.tsx')).DisabledNotice }));
const EndpointDialogs = lazy(async () => ({
  default: (await import('./EndpointDialogs.tsx')).EndpointDialogs,
}));
const PublicationLog = lazy(async () => ({
  default: (await import('../publications/PublicationLog.tsx')).PublicationLog,
}));
const Settings = lazy(async () => ({ default: (await import('./EndpointSettings.tsx')).EndpointSettings }));
const ShownOnce = lazy(async () => ({ default: (await import('./ShownOnce.tsx')).ShownOnce }));

const route = getRouteApi('/w/$workspace/publishing/$id');

export function EndpointPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(endpointQuery(workspace.id, id));
  if (data) return <Loaded key={data.object.id} read={data} />;
  return (
    <>
      <PageHeader title="Publishing endpoint" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the endpoint" />
      )}
    </>
  );
}

/** What a tab is called in the address. */
type TabName = 'runs' | 'settings' | undefined;

function Loaded({ read }: { read: Tagged<PublishingEndpoint> }) {
  const endpoint = read.object;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [action, setAction] = useState<EndpointAction | null>(null);
  const [rotated, setRotated] = useState<AnsweredEndpoint | null>(null);
  const { switchTo, dialog, asking } = useEndpointSwitch();
  // Above the tabs, so that none of them loses what was written in another.
  const editing = useEditing(read);
  const leaving = useLeaving(() => editing.isUnsaved());
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <EndpointHeader
        endpoint={endpoint}
        onAction={setAction}
        onSwitch={(enabled) => switchTo(endpoint, enabled)}
      />
      {!endpoint.enabled && (
        <Suspense>
          <DisabledNotice onEnable={() => switchTo(endpoint, true)} />
        </Suspense>
      )}
      <Tabs
        value={search.tab ?? 'editor'}
        onChange={(value) =>
          void navigate({
            search: value === 'editor' ? {} : { tab: value as TabName },
            replace: true,
          })
        }
        {...(search.tab === undefined ? { className: classes.tabs } : { mb: 'sm' })}
      >
        <Tabs.List>
          <Tabs.Tab value="editor">{editing.change === null ? 'Editor' : 'Editor •'}</Tabs.Tab>
          <Tabs.Tab value="runs">Run log</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {search.tab === undefined ? (
        <Editing endpoint={endpoint} editing={editing} />
      ) : (
        <Suspense fallback={<LoadingList />}>
          {search.tab === 'runs' ? (
            <PublicationLog
              endpointId={endpoint.id}
              search={search}
              onSearch={go}
              busy={action !== null || rotated !== null || asking}
            />
          ) : (
            <Settings
              endpoint={endpoint}
              version={read.version}
              payload={editing.sample.received.payload}
              onRotate={() => setAction('rotate')}
            />
          )}
        </Suspense>
      )}
      <Suspense>
        <EndpointDialogs
          endpoint={endpoint}
          action={action}
          onClose={() => setAction(null)}
          onRotated={setRotated}
          onDeleted={editing.forget}
        />
      </Suspense>
      <OnceOpened opened={rotated !== null}>
        <ShownOnce
          answer={rotated}
          payload={editing.sample.received.payload}
          onDone={() => setRotated(null)}
        />
      </OnceOpened>
      {dialog}
      {leaving}
    </>
  );
}
