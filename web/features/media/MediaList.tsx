/** The files of messages, with previews. */
import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { deleteMedia, mediaListQuery, refreshMedia } from '../../api/media-list.ts';
import { mediaQuery } from '../../api/media.ts';
import type { Media } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { type Filter, spanStart } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { mediaActions } from './media-actions.ts';
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
  const { type, since, id } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [openedAt] = useState(Date.now);
  const list = useInfiniteQuery(
    mediaListQuery(workspace.id, {
      ...(type && { type }),
      ...(since !== undefined && { created_after: spanStart(since, openedAt) }),
    }),
  );
  // The dialog keeps the file while it closes.
  const [chosen, setChosen] = useState<Media | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const actions = mediaActions((media) => {
    setChosen(media);
    setDeleting(true);
  });
  const done = () => {
    setDeleting(false);
    notifyDone(t('File deleted'));
    void navigate({
      search: (before) => ({ ...before, id: before.id === chosen?.id ? undefined : before.id }),
      replace: true,
    });
    void refreshMedia(client, workspace.id);
  };
  return (
    <>
      <ResourceList
        name="media"
        title={t('Media')}
        description={t('Files that you upload, and files in messages that you send or receive.')}
        list={list}
        columns={MEDIA_COLUMNS}
        selected={id}
        link={sheetLink()}
        rowLabel={mediaName}
        filters={FILTERS}
        actions={actions}
        empty={
          <EmptyList icon={IconPhoto} title={t('No files yet')} call={FIRST_FILE}>
            {t('Files appear here when you upload them or a message contains one.')}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={list.data}
        single={(one) => mediaQuery(workspace.id, one)}
        title={mediaName}
        busy={isDeleting}
      >
        {(media) => <MediaSheet media={media} actions={actions} />}
      </RecordSheet>
      <OnceOpened opened={isDeleting}>
        <ConfirmAction
          opened={isDeleting}
          title={t('Delete file “{name}”?', { name: chosen ? mediaName(chosen) : '' })}
          confirm={t('Delete file')}
          call={{ method: 'DELETE', path: `/media/${chosen?.id ?? ''}` }}
          action={() => deleteMedia(workspace.id, chosen?.id ?? '')}
          onDone={done}
          onClose={() => setDeleting(false)}
        >
          <Text>
            {t('This permanently deletes the file. Messages that contain it stay and show it as deleted.')}
          </Text>
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}
