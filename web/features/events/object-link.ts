import type { LinkProps } from '@tanstack/react-router';
import { objectLink } from '../../api/nouns.ts';
import type { EventObject } from '../../api/types.ts';
import { getObjectId } from './event-object.ts';

/** Returns the link to the object an event is about, or null if it has no page or was deleted. */
export function eventObjectLink(workspace: string, event: EventObject): LinkProps | null {
  const id = getObjectId(event);
  const { click } = event.data as { click?: { id: string; link_id: string } };
  if (click)
    return {
      to: '/w/$workspace/links/$id',
      params: { workspace, id: click.link_id },
      search: { tab: 'clicks', click: click.id },
    };
  return id === undefined || event.type.endsWith('.deleted') ? null : objectLink(workspace, id);
}
