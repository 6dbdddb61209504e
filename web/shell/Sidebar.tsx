/** The left navigation: workspace switcher, search, the pages by surface, and the user's corner. */
import { Kbd, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconBook2, IconSearch } from '@tabler/icons-react';
import { SEARCH_HOTKEY } from './hotkey-label.ts';
import { navigationFor } from './nav.ts';
import { UserMenu } from './UserMenu.tsx';
import { useWorkspace } from './workspace-context.ts';
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx';
import classes from './shell.module.css';

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { workspace, scopes } = useWorkspace();
  return (
    <aside className={classes.sidebar} aria-label="Sidebar">
      <WorkspaceSwitcher />
      <UnstyledButton className={classes.search} onClick={onSearch}>
        <IconSearch size={15} />
        <span>Search</span>
        <Kbd size="xs">{SEARCH_HOTKEY}</Kbd>
      </UnstyledButton>
      <nav className={classes.navigation} aria-label="Main">
        {navigationFor(scopes).map(({ label, items }) => (
          <div key={label ?? ''} className={classes.group}>
            {label && <div className={classes.groupLabel}>{label}</div>}
            {items.map(({ to, label: text, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ workspace: workspace.slug }}
                className={classes.item}
                activeOptions={{ exact: to === '/w/$workspace', includeSearch: false }}
              >
                <Icon size={16} stroke={1.7} />
                {text}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className={classes.foot}>
        <a className={classes.item} href="/docs" target="_blank" rel="noreferrer">
          <IconBook2 size={16} stroke={1.7} />
          API reference
        </a>
        <UserMenu />
      </div>
    </aside>
  );
}
