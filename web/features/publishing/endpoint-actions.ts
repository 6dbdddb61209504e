import { IconKey, IconPencil, IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { PublishingEndpoint } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type EndpointAction = 'rename' | 'rotate' | 'delete';

interface Handlers {
  /** Opens the dialog of an action. */
  open: (endpoint: PublishingEndpoint, action: EndpointAction) => void;
  switchTo: (endpoint: PublishingEndpoint, enabled: boolean) => void;
}

const scope = 'publishing:write';

export const endpointActions = ({ open, switchTo }: Handlers): Action<PublishingEndpoint>[] => [
  {
    id: 'rename',
    label: () => t('Rename'),
    icon: IconPencil,
    scope,
    run: (endpoint) => open(endpoint, 'rename'),
  },
  {
    id: 'rotate',
    label: ({ auth }) => (auth.type === 'secret_url' ? t('Rotate URL') : t('Rotate secret')),
    icon: IconKey,
    scope,
    applies: ({ auth }) => auth.type !== 'bearer',
    run: (endpoint) => open(endpoint, 'rotate'),
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
    run: (endpoint) => open(endpoint, 'delete'),
  },
];
