import {
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnected,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import type { ModelProvider } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type ProviderAction = 'edit' | 'delete';

interface Handlers {
  /** Opens the dialog of an action. */
  open: (provider: ModelProvider, action: ProviderAction) => void;
  test: (provider: ModelProvider) => void;
  refresh: (provider: ModelProvider) => void;
  switchTo: (provider: ModelProvider, enabled: boolean) => void;
}

const scope = 'providers:write';

export const providerActions = ({ open, test, refresh, switchTo }: Handlers): Action<ModelProvider>[] => [
  { id: 'test', label: () => t('Test'), icon: IconPlugConnected, scope, primary: true, run: test },
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    primary: true,
    run: (provider) => open(provider, 'edit'),
  },
  { id: 'refresh', label: () => t('Refresh models'), icon: IconRefresh, scope, run: refresh },
  {
    id: 'disable',
    label: () => t('Disable'),
    icon: IconPlayerStop,
    scope,
    applies: ({ enabled }) => enabled,
    run: (provider) => switchTo(provider, false),
  },
  {
    id: 'enable',
    label: () => t('Enable'),
    icon: IconPlayerPlay,
    scope,
    applies: ({ enabled }) => !enabled,
    run: (provider) => switchTo(provider, true),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    run: (provider) => open(provider, 'delete'),
  },
];
