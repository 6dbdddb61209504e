/** The frame of every signed-in page: navigation at the left (a drawer where it is narrow) and the page. */
import { ActionIcon, Burger, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { t } from '../copy/text.ts';
import { importOrWait } from '../api/import-or-wait.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { Initial } from '../design/Initial.tsx';
import { Sidebar } from './Sidebar.tsx';
import { ServerNotice } from './ServerNotice.tsx';
import atoms from '../design/atoms.module.css';
import classes from './shell.module.css';

const loadSearch = () => import('./Search.tsx');
const Search = lazy(() => importOrWait(loadSearch));

/** The search is loaded this long after the first page, so that its first use loses no letter. */
const SEARCH_DELAY_MS = 2500;

export function Shell() {
  const { workspace } = useWorkspace();
  const [menu, { toggle, close }] = useDisclosure(false);
  const [searched, setSearched] = useState(0);
  const openSearch = () => setSearched((count) => count + 1);
  useHotkeys([['mod+K', openSearch]], []);
  useHotkeys([['Escape', close]]);
  useEffect(() => {
    const timer = setTimeout(() => void importOrWait(loadSearch), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <div className={classes.shell} data-menu={menu || undefined}>
      <a href="#main" className={classes.skip}>
        {t('Skip to content')}
      </a>
      <section className={classes.bar} aria-label={t('Top bar')}>
        <Burger opened={menu} onClick={toggle} size="sm" aria-label={t('Navigation')} aria-expanded={menu} />
        <span className={`${classes.barName} ${atoms.named}`}>
          <Initial name={workspace.name} size={24} />
          <Text fw={600} truncate>
            {workspace.name}
          </Text>
        </span>
        <ActionIcon variant="subtle" color="gray" ml="auto" aria-label={t('Search')} onClick={openSearch}>
          <IconSearch size={18} />
        </ActionIcon>
      </section>
      <div className={classes.scrim} onClick={close} aria-hidden />
      <Sidebar onSearch={openSearch} />
      <main id="main" className={classes.main} tabIndex={-1}>
        <ServerNotice />
        <Outlet />
      </main>
      <Suspense>{searched > 0 && <Search request={searched} />}</Suspense>
    </div>
  );
}
