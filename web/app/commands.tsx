/** What the search (Ctrl-K) offers without asking the server: pages, commands and the actions of the page. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import {
  IconBook2,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconUpload,
  IconUserPlus,
  IconUserSearch,
  type TablerIcon,
} from '@tabler/icons-react';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { navigationFor } from './nav.ts';
import { signOut } from './sign-out.ts';

const ICON = { size: 18, stroke: 1.6 } as const;

interface Command {
  id: string;
  label: string;
  keywords?: string;
  scope?: string;
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
  const create = { params, search: { create: true } } as const;
  const commands: Command[] = [
    {
      id: 'create-link',
      label: t('Create link'),
      keywords: 'short url slug utm',
      scope: 'links:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/links', ...create }),
    },
    {
      id: 'create-key',
      label: t('Create API key'),
      scope: 'api_keys:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/api-keys', ...create }),
    },
    {
      id: 'create-instance',
      label: t('Create instance'),
      keywords: 'connect channel account email sandbox',
      scope: 'instances:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/instances', ...create }),
    },
    {
      id: 'create-webhook',
      label: t('Create webhook'),
      scope: 'webhooks:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/webhooks', ...create }),
    },
    {
      id: 'create-contact',
      label: t('Create contact'),
      scope: 'contacts:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/contacts', ...create }),
    },
    {
      id: 'create-chat',
      label: t('Create chat'),
      keywords: 'message send write',
      scope: 'messages:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/chats', params, search: { new: true } }),
    },
    {
      id: 'create-group',
      label: t('Create group'),
      scope: 'groups:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/groups', params, search: { open: 'new' } }),
    },
    {
      id: 'create-inspector',
      label: t('Create inspector'),
      keywords: 'test endpoint receive webhook',
      scope: 'webhooks:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/inspector', ...create }),
    },
    {
      id: 'import-links',
      label: t('Import links'),
      keywords: 'csv upload',
      scope: 'links:write',
      icon: IconUpload,
      run: () => void navigate({ to: '/w/$workspace/links', params, search: { import: true } }),
    },
    {
      id: 'import-contacts',
      label: t('Import contacts'),
      keywords: 'csv upload',
      scope: 'contacts:write',
      icon: IconUpload,
      run: () => void navigate({ to: '/w/$workspace/contacts', params, search: { import: true } }),
    },
    {
      id: 'check-addresses',
      label: t('Check addresses'),
      keywords: 'contacts exist valid',
      scope: 'contacts:write',
      icon: IconUserSearch,
      run: () => void navigate({ to: '/w/$workspace/contacts', params, search: { check: true } }),
    },
    {
      id: 'create-tag',
      label: t('Create tag'),
      scope: 'links:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/tags', ...create }),
    },
    {
      id: 'create-domain',
      label: t('Create domain'),
      scope: 'domains:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/domains', ...create }),
    },
    {
      id: 'create-endpoint',
      label: t('Create publishing endpoint'),
      keywords: 'inbound hook post receive template',
      scope: 'publishing:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/publishing/new', params }),
    },
    {
      id: 'create-rule',
      label: t('Create rule'),
      keywords: 'automation trigger action',
      scope: 'rules:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/rules/new', params }),
    },
    {
      id: 'create-provider',
      label: t('Connect model provider'),
      keywords: 'openai anthropic gemini ollama llm',
      scope: 'providers:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/model-providers', ...create }),
    },
    {
      id: 'create-route',
      label: t('Create model route'),
      keywords: 'fallback attempts',
      scope: 'providers:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/model-routes', ...create }),
    },
    {
      id: 'create-budget',
      label: t('Create budget'),
      keywords: 'limit models cost tokens',
      scope: 'providers:write',
      icon: IconPlus,
      run: () => void navigate({ to: '/w/$workspace/budgets', ...create }),
    },
    {
      id: 'create-workspace',
      label: t('Create workspace'),
      icon: IconPlus,
      run: () => void navigate({ to: '/start' }),
    },
    {
      id: 'invite',
      label: t('Invite member'),
      scope: 'members:write',
      icon: IconUserPlus,
      run: () => void navigate({ to: '/w/$workspace/members', params, search: { invite: true } }),
    },
    {
      id: 'event-catalog',
      label: t('Event catalog'),
      keywords: 'types schema sample webhooks',
      icon: IconBook2,
      run: () => void navigate({ to: '/w/$workspace/events', params, search: { tab: 'catalogue' } }),
    },
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
    commands: commands
      .filter(({ scope }) => scope === undefined || scopes.includes(scope))
      .map(({ icon: Icon, run, scope: _scope, ...command }) => ({
        ...command,
        leftSection: <Icon {...ICON} />,
        onClick: run,
      })),
  };
}
