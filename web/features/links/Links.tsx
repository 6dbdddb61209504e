/** The list of short links. */
import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconUpload } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { linkExportPath, linksQuery, type LinkSort, refreshLinks } from '../../api/links.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { tagColorsQuery } from '../../api/tags.ts';
import type { Link } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { shownAddress } from '../../design/addresses.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { BulkActionName } from './bulk-actions.ts';
import { LINK_ACTIONS, linkBulkActions, LinkSheet } from './link-actions.ts';
import { linkColumns } from './link-columns.tsx';
import { getFilter, useLinkFilters } from './link-filter.ts';
import { SortAndCount } from './SortAndCount.tsx';

const BulkDialog = lazyDialog(() => import('./BulkDialog.tsx'), 'BulkDialog');
const ImportDialog = lazyDialog(() => import('./ImportDialog.tsx'), 'ImportDialog');
const ImportProgress = lazily(() => import('../../patterns/ImportProgress.tsx'), 'ImportProgress');

const route = getRouteApi('/w/$workspace/links');

const NO_COLORS = new Map<string, string>();
/** Events within this time cause one refresh. */
const TOGETHER_MS = 250;
/** Not `link.*`, which includes each click. */
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
  const filter = getFilter(search, openedAt);
  const list = useInfiniteQuery(linksQuery(workspace.id, filter, sort));
  const { data: colors = NO_COLORS } = useQuery(tagColorsQuery(workspace.id));
  const [bulk, setBulk] = useState<{ links: Link[]; action: BulkActionName; opened: boolean } | null>(null);
  const refresh = () => void refreshLinks(client, workspace.id);
  useLiveEvents(workspace.id, CHANGES, useDebouncedCallback(refresh, TOGETHER_MS));

  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const onSort = (by: LinkSort) => go({ sort: by === 'created_at' ? undefined : by });
  return (
    <>
      <ListPage
        name="links"
        title={t('Links')}
        description={t('Short links on your own domain, with click analytics.')}
        buttons={
          <>
            {writes && (
              <Button
                variant="default"
                leftSection={<IconUpload size={16} />}
                onClick={() => go({ import: true })}
              >
                {t('Import')}
              </Button>
            )}
            {list.data?.length !== 0 && <ExportButton path={linkExportPath(filter)} fileName="links.csv" />}
          </>
        }
        notice={
          <Suspense>
            {' '}
            {search.job !== undefined && (
              <ImportProgress
                key={search.job}
                jobId={search.job}
                onOver={refresh}
                onClose={() => go({ job: undefined })}
              />
            )}
          </Suspense>
        }
        search={t('Search by slug, URL or title')}
        filters={useLinkFilters()}
        beside={<SortAndCount filter={filter} sort={sort} onSort={onSort} />}
        list={list}
        columns={linkColumns({ sort, onSort, colors })}
        link={({ id }) => ({ to: '/w/$workspace/links/$id', params: { workspace: workspace.slug, id } })}
        rowLabel={({ short_url: address }) => shownAddress(address)}
        actions={LINK_ACTIONS}
        create={{ label: t('Create link'), scope: 'links:write', dialog: LinkSheet, stays: true }}
        refresh={refresh}
        {...(writes && {
          bulk: linkBulkActions((links, action) => setBulk({ links, action, opened: true })),
        })}
        example={{ type: 'link.created', with: { clicks: 128, unique_clicks: 97 } }}
        empty={
          <EmptyList title={t('No links yet')} call={FIRST_LINK}>
            {t(
              'A short link redirects visitors and counts clicks by people and bots. It can expire, require a password and redirect by country or device.',
            )}
          </EmptyList>
        }
      />
      {bulk && (
        <BulkDialog
          {...bulk}
          onClose={() => setBulk({ ...bulk, opened: false })}
          onDone={(isAll) => {
            refresh();
            if (isAll) setBulk({ ...bulk, opened: false });
          }}
        />
      )}
      <ImportDialog
        opened={writes && search.import === true}
        onClose={() => go({ import: undefined })}
        onStarted={({ id }) => go({ import: undefined, job: id })}
      />
    </>
  );
}
