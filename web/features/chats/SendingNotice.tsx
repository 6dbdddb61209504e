/** Explains why messages can't be sent, or why they wait. */
import { takesMessages } from '../../api/instances.ts';
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Group, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { TextLink } from '../../design/links.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { stateTone, stateLabel } from '../instances/instance-text.ts';
import { getSendBlock } from '../groups/group-text.ts';
import classes from './chats.module.css';

interface SendingNoticeProps {
  instance: Instance;
  /** The chat's group. */
  group: Group | undefined;
  writes: boolean;
}

export function SendingNotice({ instance, group, writes }: SendingNoticeProps) {
  const { workspace } = useWorkspace();
  const { id, name, state } = instance;
  if (!writes) return <Note>{t('Your role can view messages but not send them.')}</Note>;
  const sendBlock = group ? getSendBlock(group) : null;
  if (group && sendBlock !== null)
    return (
      <Note>
        {sendBlock}{' '}
        <TextLink to="/w/$workspace/groups/$id" params={{ workspace: workspace.slug, id: group.id }}>
          {t('View group')}
        </TextLink>
      </Note>
    );
  if (state === 'connected') return null;
  const consequence = takesMessages(instance)
    ? t('Messages wait in the queue until it is connected.')
    : t("You can't send messages until it is connected.");
  return (
    <Note>
      <StateDot tone={stateTone(state)}>{`${name}: ${stateLabel(state)}.`}</StateDot> {consequence}{' '}
      <TextLink to="/w/$workspace/instances/$id" params={{ workspace: workspace.slug, id }}>
        {t('View instance')}
      </TextLink>
    </Note>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <Text component="div" size="xs" c="dimmed" className={classes.note} role="status">
      {children}
    </Text>
  );
}
