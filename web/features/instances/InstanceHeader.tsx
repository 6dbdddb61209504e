/** The header of an instance's page, with its actions. */
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { TextLink } from '../../design/links.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import ui from '../../design/ui.module.css';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { type InstanceAction, useInstanceActions } from './instance-actions.ts';
import classes from './instance.module.css';

interface InstanceHeaderProps {
  instance: Instance;
  channel: Channel | undefined;
  onAction: (action: InstanceAction) => void;
}

export function InstanceHeader({ instance, channel, onAction }: InstanceHeaderProps) {
  const { workspace } = useWorkspace();
  const actions = useInstanceActions((_, action) => onAction(action));
  return (
    <>
      <TextLink to="/w/$workspace/instances" params={{ workspace: workspace.slug }} className={classes.back}>
        {t('Instances')}
      </TextLink>
      <PageHeader
        title={instance.name}
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
        <ActionButtons record={instance} of={instance.name} actions={actions} />
      </PageHeader>
    </>
  );
}
