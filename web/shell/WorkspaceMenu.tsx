/** The other workspaces, behind the switcher. Loaded when it is reached for. */
import { Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { workspacesQuery } from '../api/workspaces.ts';
import { Initial } from './Initial.tsx';
import type { LazyMenuProps } from '../ui/LazyMenu.tsx';
import { useWorkspace } from './workspace-context.ts';

export function WorkspaceMenu({ button }: LazyMenuProps) {
  const { workspace } = useWorkspace();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const navigate = useNavigate();
  return (
    <Menu width={232} position="bottom-start" offset={4} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map(({ id, name, slug }) => (
          <Menu.Item
            key={id}
            leftSection={<Initial name={name} size={20} />}
            rightSection={id === workspace.id ? <IconCheck size={14} /> : null}
            onClick={() => void navigate({ to: '/w/$workspace', params: { workspace: slug } })}
          >
            <Text size="sm" truncate>
              {name}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => void navigate({ to: '/start' })}>
          New workspace
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
