/** Ctrl-K: pages, actions, workspaces, keys, channels, webhooks, publishing endpoints and short links in one search. Loaded when it is first asked for. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconBook2,
  IconBroadcast,
  IconBuilding,
  IconKey,
  IconLink,
  IconMoon,
  IconPlugConnected,
  IconPlus,
  IconSearch,
  IconSun,
  IconUserPlus,
  IconWebhook,
} from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { apiKeysQuery } from '../api/api-keys.ts';
import { instancesQuery } from '../api/instances.ts';
import { linksQuery } from '../api/links.ts';
import { endpointsQuery } from '../api/publishing.ts';
import { webhooksQuery } from '../api/webhooks.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { shownAddress } from '../ui/addresses.ts';
import { navigationFor } from './nav.ts';
import classes from './shell.module.css';
import { useWorkspace } from './workspace-context.ts';

const ICON = { size: 18, stroke: 1.6 } as const;

/** @param request raised by one each time the search is asked for */
export default function Search({ request }: { request: number }) {
  useEffect(() => {
    if (request > 0) spotlight.open();
  }, [request]);
  const [query, setQuery] = useState('');
  const actions = useActions();
  // What arrives later than it was asked for is taken by Enter, too: the library selects only when something is typed.
  useLayoutEffect(() => {
    if (query && !document.querySelector('[data-action][data-selected]'))
      document.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  });
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      limit={40}
      classNames={{ action: classes.action }}
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      attributes={{ content: { 'aria-label': 'Search' } }}
      nothingFound="Nothing found"
      searchProps={{
        leftSection: <IconSearch {...ICON} />,
        placeholder: 'Search pages, keys, workspaces and actions',
        'aria-label': 'Search',
      }}
    />
  );
}

function useActions(): SpotlightActionGroupData[] {
  const { workspace, scopes } = useWorkspace();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const { data: keys = [] } = useInfiniteQuery({
    ...apiKeysQuery(workspace.id),
    enabled: scopes.includes('api_keys:read'),
  });
  const { data: webhooks = [] } = useInfiniteQuery({
    ...webhooksQuery(workspace.id),
    enabled: scopes.includes('webhooks:read'),
  });
  const { data: instances = [] } = useInfiniteQuery({
    ...instancesQuery(workspace.id),
    enabled: scopes.includes('instances:read'),
    refetchInterval: false,
  });
  const { data: links = [] } = useInfiniteQuery({
    ...linksQuery(workspace.id, {}, 'created_at'),
    enabled: scopes.includes('links:read'),
    refetchInterval: false,
  });
  const { data: endpoints = [] } = useInfiniteQuery({
    ...endpointsQuery(workspace.id, {}),
    enabled: scopes.includes('publishing:read'),
    refetchInterval: false,
  });
  const { setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const params = { workspace: workspace.slug };
  const dark = useComputedColorScheme('light') === 'dark';
  return [
    {
      group: 'Pages',
      actions: navigationFor(scopes).flatMap(({ label, items }) =>
        items.map((item) => ({
          id: item.to,
          label: item.label,
          keywords: `${label ?? ''} ${item.keywords ?? ''}`,
          leftSection: <item.icon {...ICON} />,
          onClick: () => void navigate({ to: item.to, params }),
        })),
      ),
    },
    {
      group: 'Actions',
      actions: [
        ...(scopes.includes('api_keys:write')
          ? [
              {
                id: 'create-key',
                label: 'Create an API key',
                leftSection: <IconPlus {...ICON} />,
                onClick: () =>
                  void navigate({ to: '/w/$workspace/api-keys', params, search: { create: true } }),
              },
            ]
          : []),
        ...(scopes.includes('instances:write')
          ? [
              {
                id: 'connect-channel',
                label: 'Connect a channel',
                keywords: 'instance account email sandbox',
                leftSection: <IconPlus {...ICON} />,
                onClick: () =>
                  void navigate({ to: '/w/$workspace/channels', params, search: { create: true } }),
              },
            ]
          : []),
        ...(scopes.includes('webhooks:write')
          ? [
              {
                id: 'create-webhook',
                label: 'Create a webhook',
                leftSection: <IconPlus {...ICON} />,
                onClick: () =>
                  void navigate({ to: '/w/$workspace/webhooks', params, search: { create: true } }),
              },
            ]
          : []),
        ...(scopes.includes('links:write')
          ? [
              {
                id: 'create-link',
                label: 'Create a short link',
                keywords: 'url slug utm',
                leftSection: <IconPlus {...ICON} />,
                onClick: () => void navigate({ to: '/w/$workspace/links', params, search: { create: true } }),
              },
            ]
          : []),
        ...(scopes.includes('publishing:write')
          ? [
              {
                id: 'create-endpoint',
                label: 'Create a publishing endpoint',
                keywords: 'inbound hook post receive template',
                leftSection: <IconPlus {...ICON} />,
                onClick: () => void navigate({ to: '/w/$workspace/publishing/new', params }),
              },
            ]
          : []),
        ...(scopes.includes('publishing:read')
          ? [
              {
                id: 'run-log',
                label: 'Run log of publishing',
                keywords: 'publications received rejected failed replay',
                leftSection: <IconBroadcast {...ICON} />,
                onClick: () =>
                  void navigate({ to: '/w/$workspace/publishing', params, search: { tab: 'runs' } }),
              },
            ]
          : []),
        {
          id: 'event-catalogue',
          label: 'Event catalogue',
          keywords: 'types schema sample webhooks',
          leftSection: <IconBook2 {...ICON} />,
          onClick: () => void navigate({ to: '/w/$workspace/events', params, search: { tab: 'catalogue' } }),
        },
        ...(scopes.includes('members:write')
          ? [
              {
                id: 'invite',
                label: 'Invite somebody',
                leftSection: <IconUserPlus {...ICON} />,
                onClick: () =>
                  void navigate({ to: '/w/$workspace/members', params, search: { invite: true } }),
              },
            ]
          : []),
        {
          id: 'new-workspace',
          label: 'New workspace',
          leftSection: <IconPlus {...ICON} />,
          onClick: () => void navigate({ to: '/start' }),
        },
        {
          id: 'scheme',
          label: dark ? 'Light appearance' : 'Dark appearance',
          keywords: 'theme mode colour scheme',
          leftSection: dark ? <IconSun {...ICON} /> : <IconMoon {...ICON} />,
          onClick: () => setColorScheme(dark ? 'light' : 'dark'),
        },
        {
          id: 'reference',
          label: 'API reference',
          keywords: 'docs documentation openapi',
          leftSection: <IconBook2 {...ICON} />,
          onClick: () => window.open('/docs', '_blank', 'noreferrer'),
        },
      ],
    },
    {
      group: 'API keys',
      actions: keys.map((key) => ({
        id: key.id,
        label: key.name,
        description: `${key.prefix}…${key.last4} · ${key.state}`,
        keywords: key.id,
        leftSection: <IconKey {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace/api-keys', params, search: { id: key.id } }),
      })),
    },
    {
      group: 'Channels',
      actions: instances.map(({ id, name, channel, address, state }) => ({
        id,
        label: name,
        description: [channel, address, state.replaceAll('_', ' ')].filter(Boolean).join(' · '),
        keywords: id,
        leftSection: <IconPlugConnected {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace/channels/$id', params: { ...params, id } }),
      })),
    },
    {
      group: 'Webhooks',
      actions: webhooks.map(({ id, url, description }) => ({
        id,
        label: url,
        ...(description !== null && { description }),
        keywords: id,
        leftSection: <IconWebhook {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace/webhooks/$id', params: { ...params, id } }),
      })),
    },
    {
      group: 'Publishing endpoints',
      actions: endpoints.map(({ id, name, auth, enabled }) => ({
        id,
        label: name,
        description: [auth.type.replaceAll('_', ' '), auth.scheme, enabled ? null : 'disabled']
          .filter(Boolean)
          .join(' · '),
        keywords: id,
        leftSection: <IconBroadcast {...ICON} />,
        onClick: () =>
          void navigate({ to: '/w/$workspace/publishing/$id', params: { ...params, id }, search: {} }),
      })),
    },
    {
      group: 'Short links',
      actions: links.map(({ id, short_url: address, url, title }) => ({
        id,
        label: shownAddress(address),
        description: title ?? url,
        keywords: `${id} ${url}`,
        leftSection: <IconLink {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace/links/$id', params: { ...params, id } }),
      })),
    },
    {
      group: 'Workspaces',
      actions: workspaces.map(({ id, name, slug }) => ({
        id,
        label: name,
        description: slug,
        leftSection: <IconBuilding {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace', params: { workspace: slug } }),
      })),
    },
  ];
}
