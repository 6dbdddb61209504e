/** The left navigation: workspace switcher, search, the pages by group, and the user's menu. */
import { Kbd, UnstyledButton } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import { IconBook2, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { useStored } from '../patterns/list/stored.ts';
import { openGroups } from './fold.ts';
import { SEARCH_HOTKEY } from './hotkey-label.ts';
import { navigationFor, type NavigationItem } from './nav.ts';
import classes from './shell.module.css';
import { UserMenu } from './UserMenu.tsx';
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx';

/** The groups that most workspaces use first. */
const FIRST_GROUPS = [t('Messaging'), t('Short links')];

/** Height in pixels of the elements above and below the navigation. */
const AROUND = 232;

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { workspace, scopes } = useWorkspace();
  const { pathname } = useLocation();
  const { height } = useViewportSize();
  const [chosen, setChosen] = useStored<Record<string, boolean>>('fairlead.navigation', {});
  const [recent, setRecent] = useStored<string[]>('fairlead.navigation.recent', FIRST_GROUPS);
  // Groups that were open stay open until the next load: entries would move under the pointer.
  const [held, setHeld] = useState<Record<string, boolean>>({});
  const navigation = useRef<HTMLElement>(null);
  const groups = navigationFor(scopes);
  const home = `/w/${workspace.slug}`;
  const isActive = ({ to }: NavigationItem) => {
    const path = to.replace('/w/$workspace', home);
    return path === home ? pathname.replace(/\/$/, '') === home : pathname.startsWith(path);
  };
  const active = groups.find(({ items }) => items.some(isActive))?.label ?? null;
  const page = groups.flatMap(({ items }) => items).findLast(isActive)?.to;
  const open = openGroups(
    groups,
    (height || window.innerHeight) - AROUND,
    active,
    { ...held, ...chosen },
    recent,
  );
  if ([...open].some((label) => !held[label]))
    setHeld(Object.fromEntries([...open].map((label) => [label, true])));
  useEffect(() => {
    if (active !== null && recent[0] !== active)
      setRecent([active, ...recent.filter((label) => label !== active)]);
  }, [active, recent, setRecent]);
  useEffect(() => {
    navigation.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [page]);
  return (
    <aside className={classes.sidebar} aria-label={t('Sidebar')}>
      <WorkspaceSwitcher />
      <UnstyledButton className={classes.search} onClick={onSearch}>
        <IconSearch size={15} />
        <span>{t('Search')}</span>
        <Kbd size="xs">{SEARCH_HOTKEY}</Kbd>
      </UnstyledButton>
      <nav ref={navigation} className={classes.navigation} aria-label={t('Main')}>
        {groups.map(({ label, items }) => {
          const isOpen = label === null || open.has(label);
          return (
            <div key={label ?? ''} className={classes.group}>
              {label !== null && (
                <UnstyledButton
                  className={classes.groupLabel}
                  aria-expanded={isOpen}
                  onClick={() => setChosen({ ...chosen, [label]: !isOpen })}
                >
                  {label}
                  <IconChevronRight size={12} aria-hidden />
                </UnstyledButton>
              )}
              {isOpen &&
                items.map(({ to, label: text, icon: Icon }) => (
                  <Link
                    key={to}
                    data-page={to}
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
          );
        })}
      </nav>
      <div className={classes.foot}>
        <a className={classes.item} href="/docs" target="_blank" rel="noreferrer">
          <IconBook2 size={16} stroke={1.7} />
          <span>{t('API reference')}</span>
        </a>
        <UserMenu />
      </div>
    </aside>
  );
}
