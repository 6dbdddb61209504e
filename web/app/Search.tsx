/** Ctrl-K: pages, commands, the actions of the page, and the records of the workspace. Loaded when it is first opened. */
import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconActivity,
  IconAddressBook,
  IconBolt,
  IconBroadcast,
  IconBuilding,
  IconCloudComputing,
  IconKey,
  IconLink,
  IconListDetails,
  IconPlayerPlay,
  IconPlugConnected,
  IconRoute,
  IconSearch,
  IconTag,
  IconUser,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
  IconWorld,
  IconHistory,
  IconInbox,
  IconMailForward,
  IconMessage,
  IconMessages,
  IconPhoto,
  IconSend,
  type TablerIcon,
} from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { type Found, type FoundNoun, searchQuery } from '../api/search.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { pageActions } from '../patterns/actions/page-actions.ts';
import { useCommands } from './commands.tsx';
import classes from './shell.module.css';

const ICON = { size: 18, stroke: 1.6 } as const;
const PAUSE_MS = 150;

const NOUNS: Record<FoundNoun, [label: string, icon: TablerIcon]> = {
  link: [t('Links'), IconLink],
  contact: [t('Contacts'), IconAddressBook],
  group: [t('Groups'), IconUsersGroup],
  instance: [t('Instances'), IconPlugConnected],
  webhook: [t('Webhooks'), IconWebhook],
  rule: [t('Rules'), IconBolt],
  endpoint: [t('Publishing endpoints'), IconBroadcast],
  api_key: [t('API keys'), IconKey],
  domain: [t('Domains'), IconWorld],
  tag: [t('Tags'), IconTag],
  member: [t('Members'), IconUser],
  invitation: [t('Invitations'), IconMailForward],
  chat: [t('Chats'), IconMessages],
  message: [t('Messages'), IconMessage],
  media: [t('Media'), IconPhoto],
  publication: [t('Publications'), IconBroadcast],
  run: [t('Rule runs'), IconBolt],
  inspector: [t('Inspectors'), IconInbox],
  delivery: [t('Deliveries'), IconSend],
  provider: [t('Model providers'), IconCloudComputing],
  route: [t('Model routes'), IconRoute],
  budget: [t('Budgets'), IconWallet],
  event: [t('Events'), IconActivity],
  audit_entry: [t('Audit log'), IconHistory],
  request: [t('Requests'), IconListDetails],
};

/** @param request raised by one each time the search is opened */
export default function Search({ request }: { request: number }) {
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (request > 0) spotlight.open();
  }, [request]);
  const groups = useGroups(query.trim());
  // Enter takes what arrived after it was typed, too: the library selects only when something is typed.
  useLayoutEffect(() => {
    if (query && !document.querySelector('[data-action][data-selected]'))
      document.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  });
  return (
    <Spotlight
      actions={groups}
      filter={(_, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      classNames={{ action: classes.action }}
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      attributes={{ content: { 'aria-label': t('Search') } }}
      nothingFound={t('No results')}
      searchProps={{
        leftSection: <IconSearch {...ICON} />,
        placeholder: t('Search links, contacts, pages and commands'),
        'aria-label': t('Search'),
      }}
    />
  );
}

const matches = ({ label, description, keywords }: SpotlightActionData, words: string[]): boolean => {
  const text = `${label} ${description ?? ''} ${[keywords ?? ''].flat().join(' ')}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

function useGroups(query: string): SpotlightActionGroupData[] {
  const { workspace, scopes } = useWorkspace();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const [asked] = useDebouncedValue(query, PAUSE_MS);
  const { data: found = [] } = useQuery({
    ...searchQuery(workspace.id, scopes, asked),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const open = useOpen();
  const navigate = useNavigate();
  const { pages, commands } = useCommands();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const records = query === '' ? [] : found;
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('On this page'),
      actions: pageActions().map(({ id, label, of, run }) => ({
        id: `page-${id}`,
        label,
        description: of,
        leftSection: <IconPlayerPlay {...ICON} />,
        onClick: run,
      })),
    },
    { group: t('Pages'), actions: pages },
    { group: t('Commands'), actions: commands },
    {
      group: t('Workspaces'),
      actions: workspaces.map(({ id, name, slug }) => ({
        id,
        label: name,
        description: slug,
        leftSection: <IconBuilding {...ICON} />,
        onClick: () => void navigate({ to: '/w/$workspace', params: { workspace: slug } }),
      })),
    },
  ].map(({ group, actions }) => ({ group, actions: actions.filter((action) => matches(action, words)) }));
  const nouns = Object.entries(NOUNS) as [FoundNoun, (typeof NOUNS)[FoundNoun]][];
  return [
    ...groups,
    ...nouns.map(([noun, [group, Icon]]) => ({
      group,
      actions: records
        .filter((record) => record.noun === noun)
        .map((record) => ({
          id: `${noun}-${record.id}`,
          label: record.label,
          ...(record.description && { description: record.description }),
          leftSection: <Icon {...ICON} />,
          onClick: () => open(record),
        })),
    })),
  ].filter(({ actions }) => actions.length > 0);
}

/** Returns a function that opens the page, or the sheet, of a record. */
function useOpen(): (record: Found) => void {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const params = { workspace: workspace.slug };
  return ({ noun, id, label }) => {
    const page = { params: { ...params, id } };
    const sheet = { params, search: { id } };
    const open: Record<FoundNoun, () => unknown> = {
      link: () => navigate({ to: '/w/$workspace/links/$id', ...page }),
      contact: () => navigate({ to: '/w/$workspace/contacts', ...sheet }),
      group: () => navigate({ to: '/w/$workspace/groups/$id', ...page }),
      instance: () => navigate({ to: '/w/$workspace/instances/$id', ...page }),
      webhook: () => navigate({ to: '/w/$workspace/webhooks/$id', ...page }),
      rule: () => navigate({ to: '/w/$workspace/rules/$id', ...page, search: {} }),
      endpoint: () => navigate({ to: '/w/$workspace/publishing/$id', ...page, search: {} }),
      api_key: () => navigate({ to: '/w/$workspace/api-keys', ...sheet }),
      domain: () => navigate({ to: '/w/$workspace/domains', ...sheet }),
      tag: () => navigate({ to: '/w/$workspace/links', params, search: { tag: id } }),
      member: () => navigate({ to: '/w/$workspace/members', params, search: { q: label } }),
      invitation: () => navigate({ to: '/w/$workspace/members', params, search: { tab: 'invitations' } }),
      chat: () => navigate({ to: '/w/$workspace/chats/$id', ...page }),
      message: () => navigate({ to: '/w/$workspace/open/$id', ...page }),
      media: () => navigate({ to: '/w/$workspace/media', ...sheet }),
      publication: () =>
        navigate({ to: '/w/$workspace/publishing', params, search: { tab: 'runs', publication: id } }),
      run: () => navigate({ to: '/w/$workspace/rules', params, search: { tab: 'runs', run: id } }),
      inspector: () => navigate({ to: '/w/$workspace/inspector', ...sheet }),
      delivery: () => navigate({ to: '/w/$workspace/open/$id', ...page }),
      audit_entry: () => navigate({ to: '/w/$workspace/audit-log', ...sheet }),
      provider: () => navigate({ to: '/w/$workspace/model-providers/$id', ...page, search: {} }),
      route: () => navigate({ to: '/w/$workspace/model-routes', ...sheet }),
      budget: () => navigate({ to: '/w/$workspace/budgets', ...sheet }),
      event: () => navigate({ to: '/w/$workspace/events/$id', ...page }),
      request: () => navigate({ to: '/w/$workspace/requests', ...sheet }),
    };
    open[noun]();
  };
}
