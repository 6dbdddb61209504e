/** The page of one publishing endpoint: editor, publications, and settings. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { lazyOnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { type Tagged } from '../../api/call.ts';
import { endpointQuery } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { DetailPage } from '../../patterns/DetailPage.tsx';
import { useEndpointSwitch } from './use-endpoint-switch.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { BACK, EndpointHeader } from './EndpointHeader.tsx';
import { useEndpointActions } from './use-endpoint-actions.tsx';
import { useEditing } from './use-editing.ts';
import { useUnsavedChanges } from '../../patterns/workbench/use-unsaved-changes.tsx';

const Editing = lazily(() => import('./Editing.tsx'), 'Editing');
const DisabledNotice = lazily(() => import('./DisabledNotice.tsx'), 'DisabledNotice');
const PublicationLog = lazily(() => import('../publications/PublicationLog.tsx'), 'PublicationLog');
const Settings = lazily(() => import('./EndpointSettings.tsx'), 'EndpointSettings');
const OneTimeSecretDialog = lazyOnceOpened(
  () => import('./OneTimeSecretDialog.tsx'),
  'OneTimeSecretDialog',
  ({ answer }) => answer !== null,
);

const route = getRouteApi('/w/$workspace/publishing/$id');

export function EndpointPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  return (
    <DetailPage query={useQuery(endpointQuery(workspace.id, id))} noun={t('Endpoint')} back={BACK}>
      {(read) => <Loaded key={read.object.id} read={read} />}
    </DetailPage>
  );
}

function Loaded({ read }: { read: Tagged<PublishingEndpoint> }) {
  const endpoint = read.object;
  const search = route.useSearch();
  const [rotated, setRotated] = useState<AnsweredEndpoint | null>(null);
  const { switchTo, dialog, confirming } = useEndpointSwitch();
  // Above the tabs, so that switching tabs keeps unsaved changes.
  const editing = useEditing(read);
  const leaveDialog = useUnsavedChanges(() => editing.isUnsaved());
  const { definitions, onDone } = useEndpointActions({
    switchTo,
    onRotated: setRotated,
    onDeleted: editing.markDeleted,
  });
  const { actions, run, dialogs, isOpen } = useActions(definitions, onDone);
  return (
    <>
      <EndpointHeader
        endpoint={endpoint}
        actions={actions}
        onSwitch={(enabled) => switchTo(endpoint, enabled)}
      />
      {!endpoint.enabled && (
        <Suspense>
          <DisabledNotice onEnable={() => switchTo(endpoint, true)} />
        </Suspense>
      )}
      <PageTabs
        tabs={[
          { value: 'editor', label: editing.change === null ? t('Editor') : t('Editor •') },
          { value: 'runs', label: t('Publications') },
          { value: 'settings', label: t('Settings') },
        ]}
        value={search.tab}
        {...(search.tab === undefined && { className: classes.tabs })}
      />
      {search.tab === undefined ? (
        <Suspense fallback={<LoadingList />}>
          <Editing endpoint={endpoint} editing={editing} />
        </Suspense>
      ) : (
        <Suspense fallback={<LoadingList />}>
          {search.tab === 'runs' ? (
            <PublicationLog
              endpointId={endpoint.id}
              search={search}
              busy={isOpen || rotated !== null || confirming}
            />
          ) : (
            <Settings
              endpoint={endpoint}
              payload={editing.sample.received.payload}
              onRotate={() => run('rotate', endpoint)}
            />
          )}
        </Suspense>
      )}
      {dialogs}
      <OneTimeSecretDialog
        answer={rotated}
        payload={editing.sample.received.payload}
        onDone={() => setRotated(null)}
      />
      {dialog}
      {leaveDialog}
    </>
  );
}
