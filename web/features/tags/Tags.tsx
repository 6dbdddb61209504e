/** The tags of the workspace's links. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconTag } from '@tabler/icons-react';
import { refreshLinks } from '../../api/links.ts';
import { tagsQuery } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { TagChip } from '../../design/TagChips.tsx';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { TAG_ACTIONS, TagDialog } from './tag-actions.ts';
import classes from './tags.module.css';

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
  const { q = '' } = route.useSearch();
  const client = useQueryClient();
  return (
    <ListPage
      name="tags"
      title={t('Tags')}
      description={t('Tags group links, so that you can filter and measure them together.')}
      search={t('Search by name')}
      list={useInfiniteQuery(tagsQuery(workspace.id, q))}
      columns={COLUMNS}
      rowLabel={({ name }) => name}
      link={({ name }) => ({
        to: '/w/$workspace/links',
        params: { workspace: workspace.slug },
        search: { tag: name },
      })}
      actions={TAG_ACTIONS}
      create={{ label: t('Create tag'), scope: 'links:write', dialog: TagDialog, pushes: true }}
      // Links show the names of their tags.
      refresh={() => refreshLinks(client, workspace.id)}
      empty={
        <EmptyList icon={IconTag} title={t('No tags yet')} call={FIRST_TAG}>
          {t('Tags group links. A tag is also created when a link is saved with a new one.')}
        </EmptyList>
      }
    />
  );
}
