/** Shows the picture of a group, or an icon. Decorative: the name is next to it. */
import { useQuery } from '@tanstack/react-query';
import { IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import { mediaQuery, thumbnailPath } from '../../api/media.ts';
import type { Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import classes from './groups.module.css';

interface GroupMarkProps {
  picture: Group['picture'];
  /** Pixels. */
  size?: number;
}

export function GroupMark({ picture, size = 30 }: GroupMarkProps) {
  const { workspace } = useWorkspace();
  const reads = useCan('media:read');
  const id = picture?.media_id;
  const { data: media } = useQuery({
    ...mediaQuery(workspace.id, id ?? ''),
    enabled: reads && id !== undefined,
  });
  const [broken, setBroken] = useState<string>();
  const path = media ? thumbnailPath(media) : null;
  return (
    <span className={classes.mark} style={{ '--size': `${size}px` } as React.CSSProperties} aria-hidden>
      {path !== null && path !== broken ? (
        <img src={path} alt="" loading="lazy" onError={() => setBroken(path)} />
      ) : (
        <IconUsersGroup size={size * 0.56} stroke={1.6} />
      )}
    </span>
  );
}
