/** The tags of the workspace's links. */
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import { refreshLinks } from '../../api/links.ts';
import { tagsQuery } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { TagChip } from '../../design/TagChips.tsx';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { type TagAction, tagActions } from './tag-actions.ts';
import classes from './tags.module.css';

const TagDialog = lazily(() => import('./TagDialog.tsx'), 'TagDialog');
const TagDialogs = lazily(() => import('./TagDialogs.tsx'), 'TagDialogs');

const route = getRouteApi('/w/$workspace/tags');

/** The API counts the links of a tag up to this number. */
const MAX_COUNTED = 10_000;

const FIRST_TAG = { method: 'POST', path: '/tags', body: { name: 'spring', color: 'teal' } } as const;

const COLUMNS: Column<Tag>[] = [
  {
    key: 'name',
    title: t('Tag'),
    fixed: true,
    render: ({ name, color }) => (
      <span className={classes.name}>
        <TagChip name={name} color={color} />
      </span>
    ),
  },
  {
    key: 'links',
    title: t('Links'),
    align: 'right',
    width: 120,
    render: (tag) => <LinkCount tag={tag} />,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    width: 160,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

/** How many links have the tag; leads to them. */
function LinkCount({ tag: { name, link_count: links } }: { tag: Tag }) {
  const { workspace } = useWorkspace();
  if (links === 0) return <>0</>;
  return (
    <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} search={{ tag: name }}>
      {`${formatNumber(links)}${links >= MAX_COUNTED ? '+' : ''}`}
    </TextLink>
  );
}

export function Tags() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(tagsQuery(workspace.id, search.q ?? ''));
  const [acting, setActing] = useState<{ tag: Tag; action: TagAction | null } | null>(null);
  const setCreating = (create: true | undefined) =>
    void navigate({ search: (before) => ({ ...before, create }), replace: create === undefined });
  // Links show the names of their tags.
  const refresh = () => void refreshLinks(client, workspace.id);
  const create = useCan('links:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t('Create tag')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="tags"
        title={t('Tags')}
        description={t('Tags group links, so that you can filter and measure them together.')}
        buttons={create}
        search={t('Search by name')}
        list={list}
        columns={COLUMNS}
        rowLabel={({ name }) => name}
        link={({ name }) => ({
          to: '/w/$workspace/links',
          params: { workspace: workspace.slug },
          search: { tag: name },
        })}
        actions={tagActions((tag, action) => setActing({ tag, action }))}
        empty={
          <EmptyList icon={IconTag} title={t('No tags yet')} call={FIRST_TAG}>
            {t('Tags group links. A tag is also created when a link is saved with a new one.')}
          </EmptyList>
        }
      />
      <OnceOpened opened={acting !== null}>
        {acting && (
          <TagDialogs
            key={acting.tag.id}
            tag={acting.tag}
            action={acting.action}
            onClose={() => setActing({ ...acting, action: null })}
            onDone={() => {
              setActing({ ...acting, action: null });
              refresh();
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <TagDialog
          opened={search.create === true}
          tag={null}
          onClose={() => setCreating(undefined)}
          onDone={() => {
            setCreating(undefined);
            refresh();
          }}
        />
      </OnceOpened>
    </>
  );
}
