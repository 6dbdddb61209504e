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
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { IconBuilding, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { getNoun, NOUNS, objectLink } from '../api/nouns.ts';
import { searchQuery } from '../api/search.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { pageActions } from '../patterns/actions/page-actions.ts';
import { useCommands } from './commands.tsx';
import classes from './shell.module.css';

const ICON = { size: 18, stroke: 1.6 } as const;
const PAUSE_MS = 150;

/** @param request raised by one each time the search is opened */
export default function Search({ request }: { request: number }) {
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (request > 0) spotlight.open();
  }, [request]);
  const groups = useGroups(query.trim());
  // Enter also selects results that arrived after typing, because the library selects only while the user types.
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
      // Spotlight clears after its transition, which would discard text typed into a reopened search.
      clearQueryOnClose={false}
      onSpotlightClose={() => setQuery('')}
      shortcut={null}
      // Anchored at the top: results of another height leave the field where it is.
      centered={false}
      scrollable
      maxHeight={420}
      classNames={{
        action: classes.action,
        actionBody: classes.actionBody,
        actionLabel: classes.actionText,
        actionDescription: classes.actionText,
        actionsGroup: classes.actionsGroup,
        actionsList: classes.actionsList,
      }}
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      attributes={{ content: { 'aria-label': t('Search') } }}
      nothingFound={t('No results. Try a name, URL, phone number or ID.')}
      searchProps={{
        leftSection: <IconSearch {...ICON} />,
        placeholder: t('Search links, contacts, pages and commands'),
        'aria-label': t('Search'),
      }}
    />
  );
}

const matches = (
  { label, description, keywords }: Pick<SpotlightActionData, 'label' | 'description' | 'keywords'>,
  words: string[],
): boolean => {
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
  const navigate = useNavigate();
  const { pages, commands } = useCommands();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const records = query === '' ? [] : found;
  // Matched by label only, so that the name of the page's record finds the record and not its actions.
  const ofPage = pageActions()
    .filter(({ label }) => matches({ label }, words))
    .map(({ id, label, of, run }) => ({
      id: `page-${id}`,
      label,
      description: of,
      leftSection: <IconPlayerPlay {...ICON} />,
      onClick: run,
    }));
  const groups: SpotlightActionGroupData[] = [
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
  return [
    { group: t('On this page'), actions: ofPage },
    ...groups,
    ...NOUNS.map(({ prefix, many, icon: Icon }) => ({
      group: many,
      actions: records
        .filter(({ id }) => getNoun(id)?.prefix === prefix)
        .map(({ id, label, description }) => ({
          id,
          label,
          ...(description && { description }),
          leftSection: <Icon {...ICON} />,
          onClick: () => void navigate(objectLink(workspace.slug, id, label) as NavigateOptions),
        })),
    })),
  ].filter(({ actions }) => actions.length > 0);
}
