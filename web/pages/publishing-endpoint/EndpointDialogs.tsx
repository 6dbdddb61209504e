/** The dialogs of an endpoint's page, each loaded when it is first opened. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy } from 'react';
import { waitingQuery } from '../../api/publications.ts';
import { deleteEndpoint, endpointQuery, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone } from '../../ui/notify.ts';
import type { EndpointAction } from './EndpointHeader.tsx';
import { shownOnceOf } from './shown-once.ts';

const RenameDialog = lazy(async () => ({ default: (await import('./RenameDialog.tsx')).RenameDialog }));
const RotateDialog = lazy(async () => ({ default: (await import('./RotateDialog.tsx')).RotateDialog }));

interface EndpointDialogsProps {
  endpoint: PublishingEndpoint;
  action: EndpointAction | null;
  onClose: () => void;
  /** With what is shown this once. */
  onRotated: (answer: AnsweredEndpoint) => void;
  /** Before the page is left. */
  onDeleted: () => void;
}

export function EndpointDialogs({ endpoint, action, onClose, onRotated, onDeleted }: EndpointDialogsProps) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  const changed = (message: string) => {
    onClose();
    void refreshEndpoints(client, workspace.id);
    notifyDone(message);
  };
  return (
    <>
      <OnceOpened opened={action === 'rename'}>
        <RenameDialog
          endpoint={endpoint}
          opened={action === 'rename'}
          onClose={onClose}
          onDone={() => changed('Renamed')}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateDialog
          endpoint={endpoint}
          opened={action === 'rotate'}
          onClose={onClose}
          onDone={(answer) => {
            changed(endpoint.auth.type === 'secret_url' ? 'Address rotated' : 'Secret rotated');
            if (shownOnceOf(answer) !== null) onRotated(answer);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title={`Delete ${endpoint.name}?`}
          confirm="Delete endpoint"
          call={{ method: 'DELETE', path: `/publishing-endpoints/${endpoint.id}` }}
          action={() => deleteEndpoint(workspace.id, endpoint.id)}
          onDone={async () => {
            onDeleted();
            notifyDone('Endpoint deleted');
            await navigate({
              to: '/w/$workspace/publishing',
              params: { workspace: workspace.slug },
              search: {},
            });
            // Once nothing shows it any more, so that nothing asks for it again.
            client.removeQueries({ queryKey: endpointQuery(workspace.id, endpoint.id).queryKey });
            await refreshEndpoints(client, workspace.id);
          }}
          onClose={onClose}
        >
          Its address takes nothing from then on, its samples go, and what came through it can no more be
          replayed. <Waiting endpointId={endpoint.id} enabled={action === 'delete'} /> This can't be undone;
          to pause it, disable it instead.
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}

/** What is canceled with it. */
function Waiting({ endpointId, enabled }: { endpointId: string; enabled: boolean }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery({ ...waitingQuery(workspace.id, endpointId), enabled });
  if (!data) return 'What waits for its time is canceled.';
  const count = data.data.length;
  if (count === 0) return 'Nothing of it waits for its time.';
  return (
    <strong>
      {count === 1
        ? '1 publication waits for its time, and is canceled.'
        : `${data.has_more ? `More than ${count}` : count} publications wait for their time, and are canceled.`}
    </strong>
  );
}
