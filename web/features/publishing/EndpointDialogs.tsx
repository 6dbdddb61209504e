/** The dialogs of the endpoint page, each loaded when first opened. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazily } from '../../patterns/lazily.ts';
import { formatNumber, plural, t } from '../../copy/text.ts';
import { waitingQuery } from '../../api/publications.ts';
import { deleteEndpoint, endpointQuery, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { notifyDone } from '../../design/notify.ts';
import type { EndpointAction } from './endpoint-actions.ts';
import { getOneTimeSecret } from './one-time-secret.ts';

const RenameDialog = lazily(() => import('./RenameDialog.tsx'), 'RenameDialog');
const RotateDialog = lazily(() => import('./RotateDialog.tsx'), 'RotateDialog');

interface EndpointDialogsProps {
  endpoint: PublishingEndpoint;
  action: EndpointAction | null;
  onClose: () => void;
  /** Receives the new secret, which is shown once. */
  onRotated: (answer: AnsweredEndpoint) => void;
  /** Called before navigating away from the page. */
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
          onDone={() => changed(t('Endpoint renamed'))}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateDialog
          endpoint={endpoint}
          opened={action === 'rotate'}
          onClose={onClose}
          onDone={(answer) => {
            changed(endpoint.auth.type === 'secret_url' ? t('URL rotated') : t('Secret rotated'));
            if (getOneTimeSecret(answer) !== null) onRotated(answer);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmAction
          opened={action === 'delete'}
          title={t('Delete endpoint “{name}”?', { name: endpoint.name })}
          confirm={t('Delete endpoint')}
          call={{ method: 'DELETE', path: `/publishing-endpoints/${endpoint.id}` }}
          action={() => deleteEndpoint(workspace.id, endpoint.id)}
          onDone={async () => {
            onDeleted();
            notifyDone(t('Endpoint deleted'));
            await navigate({
              to: '/w/$workspace/publishing',
              params: { workspace: workspace.slug },
              search: {},
            });
            // Only after the page is left, so that no mounted query fetches the deleted endpoint again.
            client.removeQueries({ queryKey: endpointQuery(workspace.id, endpoint.id).queryKey });
            await refreshEndpoints(client, workspace.id);
          }}
          onClose={onClose}
        >
          {t(
            "Senders can no longer post to this endpoint, and its publications can't be replayed. This can't be undone.",
          )}{' '}
          <ScheduledCount endpointId={endpoint.id} enabled={action === 'delete'} />
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}

/** States how many scheduled publications are canceled. */
function ScheduledCount({ endpointId, enabled }: { endpointId: string; enabled: boolean }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery({ ...waitingQuery(workspace.id, endpointId), enabled });
  if (!data) return t('Scheduled publications will be canceled.');
  const count = data.data.length;
  if (count === 0) return null;
  return (
    <strong>
      {data.has_more
        ? t('More than {count} scheduled publications will be canceled.', { count: formatNumber(count) })
        : plural(count, {
            one: '{count} scheduled publication will be canceled.',
            other: '{count} scheduled publications will be canceled.',
          })}
    </strong>
  );
}
