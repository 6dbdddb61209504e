/** The workspace's short links. */
import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconLink, IconPlus, IconUpload } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { linkExportPath, linksQuery, refreshLinks } from '../../api/links.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { tagColorsQuery } from '../../api/tags.ts';
import type { Link } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { EmptyList, NoMatch } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { BulkBar } from './BulkBar.tsx';
import { Filters } from './Filters.tsx';
import { type LinkAction, linkColumns } from './link-columns.tsx';
import { filterOf } from './link-filter.ts';
import { LinkDialogs } from './LinkDialogs.tsx';

const LinkSheet = lazy(async () => ({ default: (await import('./LinkSheet.tsx')).LinkSheet }));
const ImportDialog = lazy(async () => ({ default: (await import('./ImportDialog.tsx')).ImportDialog }));
const ImportProgress = lazy(async () => ({
  default: (await import('../../ui/ImportProgress.tsx')).ImportProgress,
}));

const route = getRouteApi('/w/$workspace/links');

const NO_COLORS = new Map<string, string>();
/** Events that come together are one change. */
const TOGETHER_MS = 250;
/** Not `link.*`: to look at the list is an event too, and every click. */
const CHANGES = 'link.created,link.updated,link.deleted';
const FIRST_LINK = {
  method: 'POST',
  path: '/links',
  body: { url: 'https://example.com/a', slug: 'launch', tags: ['spring'] },
} as const;

export function Links() {
  const { workspace } = useWorkspace();
  const writes = useCan('links:write');
  const search = route.useSearch();
  const { sort = 'created_at' } = search;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [openedAt] = useState(Date.now);
  const filter = filterOf(search, openedAt);
  const list = useInfiniteQuery(linksQuery(workspace.id, filter, sort));
  const { data: colors = NO_COLORS } = useQuery(tagColorsQuery(workspace.id));
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [acting, setActing] = useState<{ link: Link; action: LinkAction | null } | null>(null);
  const [importing, setImporting] = useState(false);
  const refresh = () => void refreshLinks(client, workspace.id);
  useLiveEvents(workspace.id, CHANGES, useDebouncedCallback(refresh, TOGETHER_MS));

  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  // What is chosen and out of sight is not touched.
  const chosen = list.data?.filter(({ id }) => selection.has(id)) ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  const none = !isFiltered && list.data?.length === 0;
  const columns = linkColumns({
    sort,
    onSort: (by) => go({ sort: by === 'created_at' ? undefined : by }),
    colors,
    ...(writes && {
      writing: {
        chosen: new Set(chosen.map(({ id }) => id)),
        onChoose: setSelection,
        listed: list.data?.map(({ id }) => id) ?? [],
        onAction: (link, action) => setActing({ link, action }),
      },
    }),
  });
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Create link
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Links"
        description="Short addresses that lead where you say, and count who follows them."
      >
        {writes && (
          <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => setImporting(true)}>
            Import
          </Button>
        )}
        {!none && <ExportButton path={linkExportPath(filter)} fileName="links.csv" />}
        {create}
      </PageHeader>
      <OnceOpened opened={search.job !== undefined}>
        {search.job !== undefined && (
          <ImportProgress
            key={search.job}
            jobId={search.job}
            onOver={refresh}
            onClose={() => go({ job: undefined })}
          />
        )}
      </OnceOpened>
      {!none &&
        (chosen.length > 0 ? (
          <BulkBar links={chosen} onClear={() => setSelection(new Set())} onDone={refresh} />
        ) : (
          <Filters
            search={search}
            filter={filter}
            sort={sort}
            go={go}
            onSort={(by) => go({ sort: by === 'created_at' ? undefined : by })}
          />
        ))}
      <DataTable
        label="Links"
        list={list}
        columns={columns}
        onSelect={(id) =>
          void navigate({ to: '/w/$workspace/links/$id', params: { workspace: workspace.slug, id } })
        }
        empty={
          isFiltered ? (
            <NoMatch of="link" further={list.hasNextPage ? () => void list.fetchNextPage() : undefined} />
          ) : (
            <EmptyList icon={IconLink} title="No links yet" action={create} call={FIRST_LINK}>
              A short link sends visitors on at once and counts each click, people and bots apart. It can
              expire, ask for a password, and lead some visitors elsewhere.
            </EmptyList>
          )
        }
      />
      {acting && (
        <LinkDialogs
          key={acting.link.id}
          link={acting.link}
          action={acting.action}
          onClose={() => setActing({ ...acting, action: null })}
          onDone={() => {
            setActing({ ...acting, action: null });
            refresh();
          }}
        />
      )}
      <OnceOpened opened={search.create === true}>
        <LinkSheet
          opened={search.create === true}
          link={null}
          onClose={() => go({ create: undefined })}
          onDone={refresh}
        />
      </OnceOpened>
      <OnceOpened opened={importing}>
        <ImportDialog
          opened={importing}
          onClose={() => setImporting(false)}
          onStarted={({ id }) => {
            setImporting(false);
            go({ job: id });
          }}
        />
      </OnceOpened>
    </>
  );
}
