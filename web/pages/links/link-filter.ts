/** What of the page's address decides which links are listed. */
import type { LinkFilter } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';

export interface LinkSearch {
  q?: string;
  domain?: string;
  /** Names, with commas between them: links with any of them. */
  tag?: string;
  state?: Link['state'];
  /** Days. */
  since?: string;
  by?: string;
  protected?: true;
}

const DAY_MS = 86_400_000;

/** @param now when the page was opened, so that the filter stays one while it is looked at */
export const filterOf = (search: LinkSearch, now: number): LinkFilter => {
  const { q, domain, tag, state, since, by } = search;
  return {
    ...(q !== undefined && { search: q }),
    ...(domain !== undefined && { domain }),
    ...(tag !== undefined && { tag }),
    ...(state !== undefined && { state }),
    ...(by !== undefined && { created_by: by }),
    ...(search.protected && { has_password: true }),
    ...(since !== undefined && { created_after: new Date(now - Number(since) * DAY_MS).toISOString() }),
  };
};
