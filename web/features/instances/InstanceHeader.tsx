/** The header of an instance's page, with its actions. */
import { IconSend } from '@tabler/icons-react';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import ui from '../../design/ui.module.css';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { InstanceState } from './InstanceState.tsx';
import classes from './instance.module.css';

export const BACK = { label: t('Instances'), to: '/w/$workspace/instances' } as const;

interface InstanceHeaderProps {
  instance: Instance;
  channel: Channel | undefined;
  actions: readonly Action<Instance>[];
}

export function InstanceHeader({ instance, channel, actions }: InstanceHeaderProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
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
