import { IconBan, IconPencil, IconRefresh } from '@tabler/icons-react';
import type { ApiKey } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type KeyAction = 'edit' | 'rotate' | 'revoke';

const isNotRevoked = ({ state }: ApiKey): boolean => state !== 'revoked';

/** @param open opens the dialog of an action */
export const keyActions = (open: (key: ApiKey, action: KeyAction) => void): Action<ApiKey>[] => [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'api_keys:write',
    applies: isNotRevoked,
    primary: true,
    run: (key) => open(key, 'edit'),
  },
  {
    id: 'rotate',
    label: () => t('Rotate'),
    icon: IconRefresh,
    scope: 'api_keys:write',
    applies: isNotRevoked,
    primary: true,
    run: (key) => open(key, 'rotate'),
  },
  {
    id: 'revoke',
    label: () => t('Revoke'),
    icon: IconBan,
    danger: true,
    scope: 'api_keys:write',
    applies: isNotRevoked,
    run: (key) => open(key, 'revoke'),
  },
];
