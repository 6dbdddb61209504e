/** Shows a small picture of a file, or an icon. Decorative: the name is next to it. */
import { IconFile, IconFileMusic, IconFileTypography, IconMovie, IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { thumbnailPath } from '../../api/media.ts';
import type { Media } from '../../api/types.ts';
import classes from './media.module.css';

const ICONS = { image: IconPhoto, video: IconMovie, audio: IconFileMusic, text: IconFileTypography };

export function Thumbnail({ media }: { media: Media }) {
  const [broken, setBroken] = useState<string>();
  const path = thumbnailPath(media);
  const kind = media.mime_type?.split('/')[0] ?? '';
  const Icon = ICONS[kind as keyof typeof ICONS] ?? IconFile;
  return (
    <span className={classes.thumbnail} aria-hidden>
      {path !== null && path !== broken ? (
        <img src={path} alt="" loading="lazy" onError={() => setBroken(path)} />
      ) : (
        <Icon size={18} stroke={1.5} />
      )}
    </span>
  );
}
