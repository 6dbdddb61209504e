import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconKey, IconPencil, IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { deleteEndpoint, endpointQuery, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import type { Outcome } from '../../patterns/actions/use-actions.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { getOneTimeSecret } from './publishing-text.ts';
import { lazily } from '../../patterns/lazily.ts';

const ScheduledCount = lazily(() => import('./ScheduledCount.tsx'), 'ScheduledCount');
const RenameDialog = lazyDialog(() => import('./RenameDialog.tsx'), 'RenameDialog');
const RotateDialog = lazyDialog(() => import('./RotateDialog.tsx'), 'RotateDialog');

const scope = 'publishing:write';

type EndpointAction = 'rename' | 'rotate' | 'disable' | 'enable' | 'delete';

const endpointActions = (
  switchTo: Handlers['switchTo'],
): ActionDefinition<PublishingEndpoint, EndpointAction>[] => [
  {
    id: 'rename',
    label: () => t('Rename'),
    icon: IconPencil,
    scope,
    dialog: RenameDialog,
    done: () => t('Endpoint renamed'),
  },
  {
    id: 'rotate',
    label: ({ auth }) => (auth.type === 'secret_url' ? t('Rotate URL') : t('Rotate secret')),
    icon: IconKey,
    scope,
    applies: ({ auth }) => auth.type !== 'bearer',
    dialog: RotateDialog,
    done: ({ auth }) => (auth.type === 'secret_url' ? t('URL rotated') : t('Secret rotated')),
  },
  {
    id: 'disable',
    label: () => t('Disable'),
    icon: IconPlayerStop,
    scope,
    applies: ({ enabled }) => enabled,
    run: (endpoint) => switchTo(endpoint, false),
  },
  {
    id: 'enable',
    label: () => t('Enable'),
    icon: IconPlayerPlay,
    scope,
    applies: ({ enabled }) => !enabled,
    run: (endpoint) => switchTo(endpoint, true),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    confirm: ({ id, name }) => ({
      title: t('Delete endpoint “{name}”?', { name }),
      text: (
        <>
          {t(
            "Senders can no longer post to this endpoint, and its publications can't be replayed. This can't be undone.",
          )}{' '}
          <ScheduledCount endpointId={id} />
        </>
      ),
      button: t('Delete endpoint'),
      call: deleteEndpoint(id),
    }),
    done: () => t('Endpoint deleted'),
  },
];

interface Handlers {
  switchTo: (endpoint: PublishingEndpoint, enabled: boolean) => void;
  /** Receives the new secret, which is shown once. */
  onRotated: (answer: AnsweredEndpoint) => void;
  /** Called before navigating away from the page. */
  onDeleted?: () => void;
}

/** Returns the actions of endpoints and their follow-up. After a deletion, the list is shown. */
export function useEndpointActions({ switchTo, onRotated, onDeleted }: Handlers) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  return {
    definitions: endpointActions(switchTo),
    onDone: async ({ id }: PublishingEndpoint, { action, isGone, answer }: Outcome<EndpointAction>) => {
      if (action === 'rotate' && getOneTimeSecret(answer as AnsweredEndpoint) !== null)
        onRotated(answer as AnsweredEndpoint);
      if (isGone) {
        onDeleted?.();
        await navigate({
          to: '/w/$workspace/publishing',
          params: { workspace: workspace.slug },
          search: {},
        });
        // Only after the page is left, so that no mounted query fetches the deleted endpoint again.
        client.removeQueries({ queryKey: endpointQuery(workspace.id, id).queryKey });
      }
      await refreshEndpoints(client, workspace.id);
    },
  };
}
