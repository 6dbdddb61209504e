/** The menu of workspaces. Loaded when it is first opened. */
import { Menu, ScrollArea, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { t } from '../copy/text.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { Initial } from '../design/Initial.tsx';
import type { LazyMenuProps } from '../design/LazyMenu.tsx';
import { useWorkspace } from '../api/workspace-context.ts';

export function WorkspaceMenu({ button }: LazyMenuProps) {
  const { workspace } = useWorkspace();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const navigate = useNavigate();
  return (
    <Menu width={232} position="bottom-start" offset={4} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Workspaces')}</Menu.Label>
        <ScrollArea.Autosize mah={320}>
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
        </ScrollArea.Autosize>
        <Menu.Divider />
        <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => void navigate({ to: '/start' })}>
          {t('Create workspace')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
