import { IconBan, IconPencil, IconRefresh } from '@tabler/icons-react';
import type { ApiKey } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';

export const KeyDialog = lazyDialog(() => import('./KeyDialog.tsx'), 'KeyDialog');
const RotateKeyDialog = lazyDialog(() => import('./RotateKeyDialog.tsx'), 'RotateKeyDialog');
const RevokeKeyDialog = lazyDialog(() => import('./RevokeKeyDialog.tsx'), 'RevokeKeyDialog');

const isNotRevoked = ({ state }: ApiKey): boolean => state !== 'revoked';

const scope = 'api_keys:write';

export const KEY_ACTIONS: readonly ActionDefinition<ApiKey, 'edit' | 'rotate' | 'revoke'>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    applies: isNotRevoked,
    primary: true,
    dialog: KeyDialog,
    done: () => t('API key updated'),
  },
  {
    id: 'rotate',
    label: () => t('Rotate'),
    icon: IconRefresh,
    scope,
    applies: isNotRevoked,
    primary: true,
    dialog: RotateKeyDialog,
  },
  {
    id: 'revoke',
    label: () => t('Revoke'),
    icon: IconBan,
    danger: true,
    scope,
    applies: isNotRevoked,
    dialog: RevokeKeyDialog,
    done: ({ state }) => (state === 'revoked' ? t('Created objects disabled') : t('API key revoked')),
  },
];
