/** The objects of a workspace: the page that shows one, by the prefix of its ID. */
import type { LinkProps } from '@tanstack/react-router';

/** @param name of an object that was read; otherwise its ID */
type Page = (id: string, name: string) => LinkProps;

/** Returns the address of an object that has a page of its own. */
const page =
  (to: LinkProps['to']): Page =>
  (id) => ({ to, params: { id } });

/** Returns the address of an object that is a sheet on the page of its list. */
const sheet =
  (to: LinkProps['to']): Page =>
  (id) => ({ to, search: { id } });

const PAGES = {
  lnk: page('/w/$workspace/links/$id'),
  con: sheet('/w/$workspace/contacts'),
  grp: page('/w/$workspace/groups/$id'),
  ins: page('/w/$workspace/instances/$id'),
  whk: page('/w/$workspace/webhooks/$id'),
  rul: page('/w/$workspace/rules/$id'),
  pep: page('/w/$workspace/publishing/$id'),
  key: sheet('/w/$workspace/api-keys'),
  dom: sheet('/w/$workspace/domains'),
  // Links are filtered by the name of a tag, which its ID doesn't tell.
  tag: (id, name) =>
    name === id ? { to: '/w/$workspace/tags' } : { to: '/w/$workspace/links', search: { tag: name } },
  usr: (id, name) => ({ to: '/w/$workspace/members', search: name === id ? {} : { q: name } }),
  inv: () => ({ to: '/w/$workspace/members', search: { tab: 'invitations' } }),
  chat: page('/w/$workspace/chats/$id'),
  msg: page('/w/$workspace/open/$id'),
  med: sheet('/w/$workspace/media'),
  pub: (id) => ({ to: '/w/$workspace/publishing', search: { tab: 'runs', publication: id } }),
  run: (id) => ({ to: '/w/$workspace/rules', search: { tab: 'runs', run: id } }),
  insp: sheet('/w/$workspace/inspector'),
  dlv: page('/w/$workspace/open/$id'),
  prv: page('/w/$workspace/model-providers/$id'),
  rte: sheet('/w/$workspace/model-routes'),
  bud: sheet('/w/$workspace/budgets'),
  mcl: (id) => ({ to: '/w/$workspace/model-usage', search: { call: id } }),
  evt: page('/w/$workspace/events/$id'),
  aud: sheet('/w/$workspace/audit-log'),
  req: sheet('/w/$workspace/requests'),
} satisfies Record<string, Page>;

export type Prefix = keyof typeof PAGES;

/** Returns the prefix of an ID; undefined for that of an object without a page. */
export function getPrefix(id: string): Prefix | undefined {
  const prefix = id.slice(0, id.indexOf('_'));
  return Object.hasOwn(PAGES, prefix) ? (prefix as Prefix) : undefined;
}

/**
 * Returns the link to the page of an object, or null if it has none.
 * @param workspace slug
 * @param name of an object that was read
 */
export function objectLink(workspace: string, id: string, name = id): LinkProps | null {
  const prefix = getPrefix(id);
  if (!prefix) return null;
  const show: Page = PAGES[prefix];
  const { params, ...link } = show(id, name);
  return { ...link, params: { ...(params as object), workspace } };
}
