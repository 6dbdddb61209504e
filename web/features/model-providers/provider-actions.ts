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
import { deleteModelProvider } from '../../api/model-providers.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';

export const ProviderSheet = lazyDialog(() => import('./ProviderSheet.tsx'), 'ProviderSheet');

interface Handlers {
  test: (provider: ModelProvider) => void;
  refresh: (provider: ModelProvider) => void;
  switchTo: (provider: ModelProvider, enabled: boolean) => void;
}

const scope = 'providers:write';

type ProviderAction = 'test' | 'edit' | 'refresh' | 'disable' | 'enable' | 'delete';

export const providerActions = ({
  test,
  refresh,
  switchTo,
}: Handlers): ActionDefinition<ModelProvider, ProviderAction>[] => [
  { id: 'test', label: () => t('Test'), icon: IconPlugConnected, scope, primary: true, run: test },
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    primary: true,
    dialog: ProviderSheet,
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
    confirm: ({ id, name }) => ({
      title: t('Delete provider “{name}”?', { name }),
      text: t(
        "Its models can't be called anymore, and routes skip them. Recorded usage is kept. To stop calls temporarily, disable the provider instead.",
      ),
      button: t('Delete provider'),
      call: deleteModelProvider(id),
    }),
  },
];
