/** Renders the file of a message: images, video and audio inline if that is safe, otherwise a download link. */
import { Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDownload, IconFile, IconFileX } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { contentPath, mediaQuery, picturePath } from '../../api/media.ts';
import type { Media } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import classes from './bubble.module.css';
import { isPicture } from '../media/media-text.ts';
import { sizeWord } from '../../design/size-text.ts';
import { type MediaType, typeWord } from '../messages/message-text.ts';

interface MediaContentProps {
  type: MediaType;
  mediaId: string | null;
  /** The file name in the message. */
  fileName: string | null;
}

export function MediaContent({ type, mediaId, fileName }: MediaContentProps) {
  if (mediaId === null) return <Missing>{t('File deleted')}</Missing>;
  return <Loaded type={type} mediaId={mediaId} fileName={fileName} />;
}

function Loaded({ type, mediaId, fileName }: MediaContentProps & { mediaId: string }) {
  const { workspace } = useWorkspace();
  const { data: media, error } = useQuery(mediaQuery(workspace.id, mediaId));
  const [broken, setBroken] = useState(false);
  if (error) return <Missing>{error.message}</Missing>;
  if (!media) return <div className={classes.filePlace} data-type={type} aria-hidden />;
  if (media.state === 'failed')
    return <Missing>{media.error?.detail ?? t("Couldn't fetch the file")}</Missing>;
  const path = contentPath(media);
  if (media.state === 'pending' || path === null)
    return (
      <span className={classes.file}>
        <Loader size={14} /> {t('Fetching file…')}
      </span>
    );
  const name = fileName ?? media.file_name ?? typeWord(type);
  const mimeType = media.mime_type ?? '';
  const onError = () => setBroken(true);
  if (!broken && type !== 'document' && isPicture(media))
    return (
      <a href={path} target="_blank" rel="noopener" className={classes.pictureLink} data-type={type}>
        <img src={picturePath(media) ?? path} alt={name} loading="lazy" onError={onError} />
      </a>
    );
  if (!broken && type !== 'document' && mimeType.startsWith('video/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- messages have no captions
      <video
        className={classes.film}
        src={path}
        controls
        preload="metadata"
        aria-label={name}
        onError={onError}
      />
    );
  if (!broken && type !== 'document' && mimeType.startsWith('audio/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- as above
      <audio
        className={classes.sound}
        src={path}
        controls
        preload="none"
        aria-label={name}
        onError={onError}
      />
    );
  return <Download media={media} name={name} path={path} />;
}

function Download({ media, name, path }: { media: Media; name: string; path: string }) {
  return (
    <a href={path} download={name} className={classes.file}>
      <IconFile size={22} stroke={1.5} />
      <span className={classes.fileName}>
        <span>{name}</span>
        <Text component="span" size="xs" c="dimmed">
          {[media.size === null ? null : sizeWord(media.size), media.mime_type].filter(Boolean).join(' · ')}
        </Text>
      </span>
      <IconDownload size={16} aria-label={t('Download')} />
    </a>
  );
}

function Missing({ children }: { children: React.ReactNode }) {
  return (
    <span className={classes.file}>
      <IconFileX size={20} stroke={1.5} /> {children}
    </span>
  );
}
