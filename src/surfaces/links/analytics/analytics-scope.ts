/** Resolves the scope of an analytics query: a link, links with a tag, a domain, or the whole workspace. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { DEFAULT_DOMAIN_SCOPE } from '../clicks/scopes.ts';
import { normalizeTagName } from '../tags/tag-names.ts';
import { findTagsByName } from '../tags/tag.store.ts';
import { findDomain, findLink, linksWithTag } from './analytics-scope.store.ts';

/** Maximum number of links with a tag that are aggregated one by one. */
const MAX_TAGGED = 1_000;

export interface Scope {
  /** Roll-up scopes to aggregate. */
  rollups: readonly string[];
  /** The links of the scope; null if the scope is not a list of links. */
  links: readonly string[] | null;
  /** As in `links.domain`; null for any. */
  domain: string | null;
}

export interface ScopeQuery {
  link_id?: string;
  tag?: string;
  domain?: string;
}

const notFoundProblem = (what: string, pointer: string): Problem => {
  const detail = `There is no such ${what} in this workspace.`;
  return new Problem('not_found', detail, { errors: [{ pointer, code: 'not_found', detail }] });
};

/** Resolves a domain. @returns its roll-up scope, and its value in `links.domain` */
async function readDomain(
  unit: ReadUnit,
  workspaceId: string,
  host: string,
  baseUrl: string,
): Promise<{ scope: string; domain: string }> {
  const name = host.toLowerCase();
  if (name === new URL(baseUrl).host) return { scope: DEFAULT_DOMAIN_SCOPE, domain: '' };
  const found = await findDomain(unit.db, workspaceId, name);
  if (!found) throw notFoundProblem('domain', '?domain');
  return { scope: found.id, domain: name };
}

async function readTag(
  unit: ReadUnit,
  workspaceId: string,
  name: string,
  of: { domain: string | null; link: string | null },
): Promise<string[]> {
  const normalized = normalizeTagName(name);
  const tag = (await findTagsByName(unit.db, workspaceId, [normalized])).get(normalized);
  if (!tag) throw notFoundProblem('tag', '?tag');
  const links = await linksWithTag(unit.db, workspaceId, tag.id, { ...of, limit: MAX_TAGGED + 1 });
  if (links.length > MAX_TAGGED)
    throw new Problem(
      'range_too_long',
      `More than ${MAX_TAGGED} links have this tag, which is too many for one request. Filter by a link or a domain.`,
      { errors: [{ pointer: '?tag', code: 'too_many_links', detail: `at most ${MAX_TAGGED} links` }] },
    );
  return links;
}

/** Resolves the scope of a query. @throws Problem not_found, range_too_long */
export async function readScope(
  unit: ReadUnit,
  workspaceId: string,
  query: ScopeQuery,
  baseUrl: string,
): Promise<Scope> {
  const link = query.link_id === undefined ? null : toUuid('link', query.link_id);
  const row = link === null ? undefined : await findLink(unit.db, workspaceId, link);
  if (query.link_id !== undefined && !row) throw notFoundProblem('link', '?link_id');
  const on = query.domain === undefined ? null : await readDomain(unit, workspaceId, query.domain, baseUrl);
  const domain = on?.domain ?? null;
  if (query.tag !== undefined) {
    const links = await readTag(unit, workspaceId, query.tag, { domain, link });
    return { rollups: links, links, domain: null };
  }
  if (link !== null) {
    const links = domain === null || row!.domain === domain ? [link] : [];
    return { rollups: links, links, domain: null };
  }
  return { rollups: [on?.scope ?? workspaceId], links: null, domain };
}

export const toLinkId = (uuid: string): string => publicId('link', uuid);
