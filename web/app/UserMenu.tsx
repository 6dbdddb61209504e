/** Shows the signed-in user; opens the account menu. */
import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { t } from '../copy/text.ts';
import { Initial } from '../design/Initial.tsx';
import { LazyMenu } from '../design/LazyMenu.tsx';
import { useWorkspace } from '../api/workspace-context.ts';
import classes from './shell.module.css';

const load = async () => (await import('./AccountMenu.tsx')).AccountMenu;

export function UserMenu() {
  const { user } = useWorkspace();
  return (
    <LazyMenu load={load}>
      <UnstyledButton className={classes.switcher} aria-haspopup="menu">
        <VisuallyHidden>{t('Account:')}</VisuallyHidden>
        <Initial name={user.name || user.email} round />
        <span className={classes.switcherText}>
          <Text size="sm" fw={500} truncate>
            {user.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {user.email}
          </Text>
        </span>
      </UnstyledButton>
    </LazyMenu>
  );
}
