import type { LinkProps } from '@tanstack/react-router';
import type { EventObject } from '../../api/types.ts';
import { getObjectId } from './event-object.ts';

type To = (id: string) => LinkProps;

/** The pages of objects, by the prefix of their IDs. */
const PAGES = new Map<string, To>(
  Object.entries({
    bud: (id) => ({ to: '/w/$workspace/budgets', search: { id } }),
    chat: (id) => ({ to: '/w/$workspace/chats/$id', params: { id } }),
    con: (id) => ({ to: '/w/$workspace/contacts', search: { id } }),
    dom: (id) => ({ to: '/w/$workspace/domains', search: { id } }),
    grp: (id) => ({ to: '/w/$workspace/groups/$id', params: { id } }),
    ins: (id) => ({ to: '/w/$workspace/instances/$id', params: { id } }),
    inv: () => ({ to: '/w/$workspace/members', search: { tab: 'invitations' } }),
    key: (id) => ({ to: '/w/$workspace/api-keys', search: { id } }),
    lnk: (id) => ({ to: '/w/$workspace/links/$id', params: { id } }),
    dlv: (id) => ({ to: '/w/$workspace/open/$id', params: { id } }),
    insp: (id) => ({ to: '/w/$workspace/inspector', search: { id } }),
    mcl: (id) => ({ to: '/w/$workspace/model-usage', search: { call: id } }),
    med: (id) => ({ to: '/w/$workspace/media', search: { id } }),
    msg: (id) => ({ to: '/w/$workspace/open/$id', params: { id } }),
    pep: (id) => ({ to: '/w/$workspace/publishing/$id', params: { id } }),
    prv: (id) => ({ to: '/w/$workspace/model-providers/$id', params: { id } }),
    pub: (id) => ({ to: '/w/$workspace/publishing', search: { tab: 'runs', publication: id } }),
    rte: (id) => ({ to: '/w/$workspace/model-routes', search: { id } }),
    rul: (id) => ({ to: '/w/$workspace/rules/$id', params: { id } }),
    run: (id) => ({ to: '/w/$workspace/rules', search: { tab: 'runs', run: id } }),
    tag: () => ({ to: '/w/$workspace/tags' }),
    usr: () => ({ to: '/w/$workspace/members' }),
    whk: (id) => ({ to: '/w/$workspace/webhooks/$id', params: { id } }),
  } satisfies Record<string, To>),
);

/** Returns the link to the page of an object, or null if it has none. @param workspace slug */
export function objectLink(workspace: string, id: string): LinkProps | null {
  const link = PAGES.get(id.slice(0, id.indexOf('_')))?.(id);
  return link ? { ...link, params: { ...(link.params as object), workspace } } : null;
}

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
