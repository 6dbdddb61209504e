import {
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import type { Webhook } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type WebhookAction = 'edit' | 'replay' | 'rotate' | 'delete';

interface Handlers {
  /** Opens the dialog of an action. */
  open: (webhook: Webhook, action: WebhookAction) => void;
  sendTest: (webhook: Webhook) => void;
  switchTo: (webhook: Webhook, enabled: boolean) => void;
}

const scope = 'webhooks:write';
const applies = ({ enabled }: Webhook): boolean => enabled;

export const webhookActions = ({ open, sendTest, switchTo }: Handlers): Action<Webhook>[] => [
  { id: 'test', label: () => t('Send test'), icon: IconSend, scope, applies, primary: true, run: sendTest },
  {
    id: 'replay',
    label: () => t('Replay'),
    icon: IconHistory,
    scope,
    applies,
    primary: true,
    run: (webhook) => open(webhook, 'replay'),
  },
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    primary: true,
    run: (webhook) => open(webhook, 'edit'),
  },
  {
    id: 'rotate',
    label: () => t('Rotate secret'),
    icon: IconKey,
    scope,
    run: (webhook) => open(webhook, 'rotate'),
  },
  {
    id: 'disable',
    label: () => t('Disable'),
    icon: IconPlayerStop,
    scope,
    applies,
    run: (webhook) => switchTo(webhook, false),
  },
  {
    id: 'enable',
    label: () => t('Enable'),
    icon: IconPlayerPlay,
    scope,
    applies: ({ enabled }) => !enabled,
    run: (webhook) => switchTo(webhook, true),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    run: (webhook) => open(webhook, 'delete'),
  },
];
