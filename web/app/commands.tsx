/** Search results (Ctrl-K) that need no server: pages, commands and the actions of the page. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { IconBook2, IconLogout, IconMoon, IconSun, type TablerIcon } from '@tabler/icons-react';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { navigationFor } from './nav.ts';
import { PAGE_COMMANDS } from './page-commands.ts';
import { signOut } from './sign-out.ts';

const ICON = { size: 18, stroke: 1.6 } as const;

interface Command {
  id: string;
  label: string;
  keywords?: string;
  icon: TablerIcon;
  run: () => void;
}

/** Returns the pages and the commands that the user's scopes allow. */
export function useCommands(): { pages: SpotlightActionData[]; commands: SpotlightActionData[] } {
  const { workspace, scopes } = useWorkspace();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const navigate = useNavigate();
  const params = { workspace: workspace.slug };
  const commands: Command[] = [
    ...PAGE_COMMANDS.filter(({ scope }) => scope === undefined || scopes.includes(scope)).map(
      ({ link, scope: _scope, ...command }) => ({ ...command, run: () => void navigate(link(params)) }),
    ),
    {
      id: 'scheme',
      label: dark ? t('Switch to light theme') : t('Switch to dark theme'),
      keywords: 'appearance mode color scheme',
      icon: dark ? IconSun : IconMoon,
      run: () => setColorScheme(dark ? 'light' : 'dark'),
    },
    {
      id: 'reference',
      label: t('API reference'),
      keywords: 'docs documentation openapi',
      icon: IconBook2,
      run: () => window.open('/docs', '_blank', 'noreferrer'),
    },
    {
      id: 'sign-out',
      label: t('Sign out'),
      keywords: 'log out',
      icon: IconLogout,
      run: () => void signOut(),
    },
  ];
  return {
    pages: navigationFor(scopes).flatMap(({ label, items }) =>
      items.map((item) => ({
        id: item.to,
        label: item.label,
        keywords: `${label ?? ''} ${item.keywords ?? ''}`,
        leftSection: <item.icon {...ICON} />,
        onClick: () => void navigate({ to: item.to, params }),
      })),
    ),
    commands: commands.map(({ icon: Icon, run, ...command }) => ({
      ...command,
      leftSection: <Icon {...ICON} />,
      onClick: run,
    })),
  };
}
