/** The files of messages, with previews. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { mediaListQuery, refreshMedia } from '../../api/media-list.ts';
import { mediaQuery } from '../../api/media.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { type Filter, spanStart } from '../../patterns/list/filter.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { MEDIA_ACTIONS } from './media-actions.ts';
import { MEDIA_COLUMNS } from './media-columns.tsx';
import { KIND_OPTIONS, mediaName } from './media-text.ts';
import { MediaSheet } from './MediaSheet.tsx';

const route = getRouteApi('/w/$workspace/media');

const FILTERS: Filter[] = [
  { kind: 'choice', key: 'type', label: t('Type'), options: KIND_OPTIONS },
  { kind: 'span', key: 'since', label: t('Created') },
];

const FIRST_FILE = {
  method: 'POST',
  path: '/media',
  body: { url: 'https://example.com/price-list.pdf' },
} as const;

export function MediaList() {
  const { workspace } = useWorkspace();
  const { type, since } = route.useSearch();
  const client = useQueryClient();
  const [openedAt] = useState(Date.now);
  const filter = { type, created_after: since === undefined ? undefined : spanStart(since, openedAt) };
  return (
    <ListPage
      name="media"
      title={t('Media')}
      description={t('Files that you upload, and files in messages that you send or receive.')}
      list={useInfiniteQuery(mediaListQuery(workspace.id, filter))}
      columns={MEDIA_COLUMNS}
      rowLabel={mediaName}
      filters={FILTERS}
      actions={MEDIA_ACTIONS}
      single={(id) => mediaQuery(workspace.id, id)}
      sheet={(media, actions) => <MediaSheet media={media} actions={actions} />}
      refresh={() => refreshMedia(client, workspace.id)}
      empty={
        <EmptyList icon={IconPhoto} title={t('No files yet')} call={FIRST_FILE}>
          {t('Files appear here when you upload them or a message contains one.')}
        </EmptyList>
      }
    />
  );
}
