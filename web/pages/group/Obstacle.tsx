/** Why nothing can be changed about a group. */
import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { Group } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { TextLink } from '../../ui/links.tsx';
import ui from '../../ui/ui.module.css';

export function BlockedState({ said, group }: { said: string; group: Group }) {
  const { workspace } = useWorkspace();
  return (
    <Alert
      variant="light"
      color="gray"
      mb="md"
      flex="none"
      className={ui.notice}
      icon={<IconInfoCircle size={16} />}
    >
      {said}{' '}
      {group.membership === 'joined' && (
        <TextLink
          to="/w/$workspace/channels/$id"
          params={{ workspace: workspace.slug, id: group.instance_id }}
        >
          Look at the channel
        </TextLink>
      )}
    </Alert>
  );
}
