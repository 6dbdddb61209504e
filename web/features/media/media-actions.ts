import { IconDownload, IconTrash } from '@tabler/icons-react';
import { contentPath } from '../../api/media.ts';
import { deleteMedia } from '../../api/media-list.ts';
import type { Media } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { mediaName } from './media-text.ts';

function saveFile(media: Media): void {
  const link = document.createElement('a');
  link.href = contentPath(media) ?? '';
  link.download = mediaName(media);
  link.click();
}

export const MEDIA_ACTIONS: readonly ActionDefinition<Media>[] = [
  {
    id: 'download',
    label: () => t('Download'),
    icon: IconDownload,
    primary: true,
    applies: (media) => media.state === 'ready' && media.url !== null,
    run: saveFile,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'media:write',
    primary: true,
    confirm: (media) => ({
      title: t('Delete file “{name}”?', { name: mediaName(media) }),
      text: t('This permanently deletes the file. Messages that contain it stay and show it as deleted.'),
      button: t('Delete file'),
      call: deleteMedia(media.id),
    }),
    done: () => t('File deleted'),
  },
];
