/** Columns of the table of files. */
import { Text } from '@mantine/core';
import type { Media } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import type { Column } from '../../patterns/table/column.ts';
import { sizeWord } from '../../design/size-text.ts';
import { kindLabel, mediaName, mediaState } from './media-text.ts';
import classes from './media.module.css';
import { Thumbnail } from './Thumbnail.tsx';

export function MediaStatus({ state }: Pick<Media, 'state'>) {
  const [tone, label] = mediaState(state);
  return <Status tone={tone}>{label}</Status>;
}

const sizeLabel = ({ size }: Media): string => (size === null ? '–' : sizeWord(size));

export const MEDIA_COLUMNS: Column<Media>[] = [
  {
    key: 'file_name',
    fixed: true,
    title: t('File'),
    render: (media) => (
      <div className={classes.file}>
        <Thumbnail media={media} />
        <div className={classes.name}>
          <Text truncate dir="auto" title={mediaName(media)}>
            {mediaName(media)}
          </Text>
          {media.state === 'failed' && media.error && (
            <Text size="xs" c="var(--mantine-color-error)" truncate>
              {media.error.detail}
            </Text>
          )}
          <Text size="xs" c="dimmed" component="div" className={ui.narrowOnly}>
            {media.state === 'ready' ? sizeLabel(media) : mediaState(media.state)[1]} ·{' '}
            <RelativeTime at={media.created_at} />
          </Text>
        </div>
      </div>
    ),
  },
  {
    key: 'state',
    title: t('Status'),
    from: 'medium',
    width: 110,
    render: (media) => <MediaStatus state={media.state} />,
  },
  {
    key: 'mime_type',
    title: t('Type'),
    from: 'medium',
    width: 160,
    render: (media) => (
      <Text component="span" title={media.mime_type ?? undefined}>
        {kindLabel(media)}
      </Text>
    ),
  },
  {
    key: 'size',
    title: t('Size'),
    align: 'right',
    from: 'medium',
    width: 100,
    render: sizeLabel,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
