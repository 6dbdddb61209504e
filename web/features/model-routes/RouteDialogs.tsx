/** The dialogs of one model route. */
import { Text } from '@mantine/core';
import { deleteModelRoute } from '../../api/model-routes.ts';
import type { ModelRoute } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { RouteDialog } from './RouteDialog.tsx';

export type RouteAction = 'edit' | 'delete';

interface RouteDialogsProps {
  route: ModelRoute;
  /** The dialog that is open; null for none. */
  action: RouteAction | null;
  onClose: () => void;
  /** @param isGone whether the route was deleted */
  onDone: (isGone: boolean) => void;
}

export function RouteDialogs({ route, action, onClose, onDone }: RouteDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, model } = route;
  return (
    <>
      <RouteDialog opened={action === 'edit'} route={route} onClose={onClose} onDone={() => onDone(false)} />
      <ConfirmAction
        opened={action === 'delete'}
        title={t('Delete route “{name}”?', { name: model })}
        confirm={t('Delete route')}
        call={{ method: 'DELETE', path: `/model-routes/${id}` }}
        action={() => deleteModelRoute(workspace.id, id)}
        onDone={() => onDone(true)}
        onClose={onClose}
      >
        <Text>{t('Programs that call this model ID get an error. Recorded usage is kept.')}</Text>
      </ConfirmAction>
    </>
  );
}
