/** Why nothing can be written, or why what is written waits. */
import { Text } from '@mantine/core';
import type { Group, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { TextLink } from '../../ui/links.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import { stateTone, stateWord } from '../channels/instance-text.ts';
import { silenceOf } from '../groups/group-text.ts';
import classes from './chats.module.css';
import { takesMessages } from './draft.ts';

interface NotTakenProps {
  instance: Instance;
  /** Of a group's chat. */
  group: Group | undefined;
  writes: boolean;
}

export function NotTaken({ instance, group, writes }: NotTakenProps) {
  const { workspace } = useWorkspace();
  const { id, name, state } = instance;
  if (!writes) return <Note>Your role may read messages, not send them.</Note>;
  const silence = group ? silenceOf(group) : null;
  if (group && silence !== null)
    return (
      <Note>
        {silence}{' '}
        <TextLink to="/w/$workspace/groups/$id" params={{ workspace: workspace.slug, id: group.id }}>
          Look at the group
        </TextLink>
      </Note>
    );
  if (state === 'connected') return null;
  const said = takesMessages(instance)
    ? 'What you send waits until it is connected.'
    : 'Nothing can be sent until it is connected.';
  return (
    <Note>
      <StateDot tone={stateTone(state)}>
        {name} is {stateWord(state)}.
      </StateDot>{' '}
      {said}{' '}
      <TextLink to="/w/$workspace/channels/$id" params={{ workspace: workspace.slug, id }}>
        Look at the channel
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
