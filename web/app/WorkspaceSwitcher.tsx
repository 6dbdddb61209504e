/** Shows the current workspace and opens the menu of workspaces. */
import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { t } from '../copy/text.ts';
import { Initial } from '../design/Initial.tsx';
import { LazyMenu } from '../design/LazyMenu.tsx';
import { useWorkspace } from '../api/workspace-context.ts';
import classes from './shell.module.css';

const load = async () => (await import('./WorkspaceMenu.tsx')).WorkspaceMenu;

export function WorkspaceSwitcher() {
  const { workspace } = useWorkspace();
  return (
    <LazyMenu load={load}>
      <UnstyledButton className={classes.switcher} aria-haspopup="menu">
        <VisuallyHidden>{t('Switch workspace. Current:')}</VisuallyHidden>
        <Initial name={workspace.name} />
        <span className={classes.switcherText}>
          <Text fw={600} truncate>
            {workspace.name}
          </Text>
          <Text size="xs" c="dimmed" tt="capitalize">
            {workspace.role}
          </Text>
        </span>
        <IconSelector size={16} />
      </UnstyledButton>
    </LazyMenu>
  );
}
