/** The header of an instance's page, with its actions. */
import { IconSend } from '@tabler/icons-react';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import ui from '../../design/ui.module.css';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { type InstanceAction, useInstanceActions } from './instance-actions.ts';
import { InstanceState } from './InstanceState.tsx';
import classes from './instance.module.css';

export const BACK = { label: t('Instances'), to: '/w/$workspace/instances' } as const;

interface InstanceHeaderProps {
  instance: Instance;
  channel: Channel | undefined;
  onAction: (action: InstanceAction) => void;
}

export function InstanceHeader({ instance, channel, onAction }: InstanceHeaderProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  const actions = useInstanceActions((_, action) => onAction(action));
  return (
    <DetailHeader
      back={BACK}
      title={instance.name}
      status={
        <span role="status" aria-label={t('Status')}>
          <InstanceState state={instance.state} />
        </span>
      }
      description={
        <span className={classes.address}>
          {channel?.title ?? instance.channel}
          {instance.address !== null && (
            <>
              <span className={ui.mono}>{instance.address}</span>
              <CopyButton text={instance.address} label={t('Copy address')} />
            </>
          )}
        </span>
      }
    >
      {writes && instance.state === 'connected' && (
        <ButtonLink
          variant="default"
          leftSection={<IconSend size={16} />}
          to="/w/$workspace/chats"
          params={{ workspace: workspace.slug }}
          search={{ instance: instance.id, new: true }}
        >
          {t('Send message')}
        </ButtonLink>
      )}
      <ActionButtons record={instance} of={instance.name} actions={actions} />
    </DetailHeader>
  );
}
