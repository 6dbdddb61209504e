import { IconDownload, IconTrash } from '@tabler/icons-react';
import { contentPath } from '../../api/media.ts';
import type { Media } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { mediaName } from './media-text.ts';

function saveFile(media: Media): void {
  const link = document.createElement('a');
  link.href = contentPath(media) ?? '';
  link.download = mediaName(media);
  link.click();
}

/** @param onDelete asks before it deletes */
export const mediaActions = (onDelete: (media: Media) => void): Action<Media>[] => [
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
    run: onDelete,
  },
];
