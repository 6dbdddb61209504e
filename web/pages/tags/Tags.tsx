/** The tags of the workspace's links. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconTag } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { refreshLinks } from '../../api/links.ts';
import { tagsQuery } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { TextLink } from '../../ui/links.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { TagChip } from '../../ui/TagChips.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import type { TagAction } from './TagDialogs.tsx';
import classes from './tags.module.css';

const TagDialog = lazy(async () => ({ default: (await import('./TagDialog.tsx')).TagDialog }));
const TagDialogs = lazy(async () => ({ default: (await import('./TagDialogs.tsx')).TagDialogs }));

const route = getRouteApi('/w/$workspace/tags');

const LONGEST = 50;
/** Links of a tag are counted so far. */
const COUNTED = 10_000;
const count = new Intl.NumberFormat('en');

const FIRST_TAG = { method: 'POST', path: '/tags', body: { name: 'spring', color: 'teal' } } as const;

function columns(onAction: ((tag: Tag, action: TagAction) => void) | undefined): Column<Tag>[] {
  return [
    {
      key: 'name',
      title: 'Tag',
      render: ({ name, color }) => (
        <span className={classes.name}>
          <TagChip name={name} color={color} />
        </span>
      ),
    },
    { key: 'links', title: 'Links', align: 'right', width: 120, render: (tag) => <LinkCount tag={tag} /> },
    {
      key: 'created_at',
      title: 'Made',
      from: 'medium',
      width: 160,
      render: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    ...(onAction
      ? [
          {
            key: 'menu',
            title: '',
            width: 40,
            render: (tag: Tag) => (
              <RowMenu
                of={tag.name}
                actions={[
                  { label: 'Change', onClick: () => onAction(tag, 'edit') },
                  { label: 'Delete', danger: true, onClick: () => onAction(tag, 'delete') },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
}

/** How many links have it; leads to them. */
function LinkCount({ tag: { name, link_count: links } }: { tag: Tag }) {
  const { workspace } = useWorkspace();
  if (links === 0) return <>0</>;
  return (
    <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} search={{ tag: name }}>
      {`${count.format(links)}${links >= COUNTED ? '+' : ''}`}
    </TextLink>
  );
}

export function Tags() {
  const { workspace } = useWorkspace();
  const writes = useCan('links:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(tagsQuery(workspace.id, search.q ?? ''));
  const [acting, setActing] = useState<{ tag: Tag; action: TagAction | null } | null>(null);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  // Links show the names of their tags.
  const refresh = () => void refreshLinks(client, workspace.id);
  const none = search.q === undefined && list.data?.length === 0;
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Create tag
    </Button>
  );
  return (
    <>
      <PageHeader title="Tags" description="Words that bring links together, for finding and for counting.">
        {create}
      </PageHeader>
      {!none && (
        <SearchField
          mb="sm"
          maw={260}
          aria-label="Search tags"
          placeholder="Name contains"
          maxLength={LONGEST}
          query={search.q}
          onSearch={(q) => go({ q })}
        />
      )}
      <DataTable
        label="Tags"
        list={list}
        columns={columns(writes ? (tag, action) => setActing({ tag, action }) : undefined)}
        empty={
          none ? (
            <EmptyList icon={IconTag} title="No tags yet" action={create} call={FIRST_TAG}>
              A link that names a tag makes it, so there is seldom need to make one here.
            </EmptyList>
          ) : (
            <Text c="dimmed" py="xl" ta="center">
              No tag has such a name.
            </Text>
          )
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
          onClose={() => go({ create: undefined })}
          onDone={() => {
            go({ create: undefined });
            refresh();
          }}
        />
      </OnceOpened>
    </>
  );
}
