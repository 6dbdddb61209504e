/** The filters of the link list. */
import type { LinkFilter } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { type Filter, spanStart } from '../../patterns/list/filter.ts';
import { domainFilter, memberFilter, tagFilter } from '../../patterns/list/lookups.ts';
import { LINK_STATES, STATE_NAMES } from './link-text.ts';

export interface LinkSearch {
  q?: string;
  domain?: string;
  /** Comma-separated names; links with any of them match. */
  tag?: string;
  state?: Link['state'];
  /** Days. */
  since?: string;
  by?: string;
  protected?: true;
}

/** @param openedAt time from which the days of `since` count, so that the filter stays the same while the page is open */
export const getFilter = (
  { q, since, by, protected: isProtected, ...search }: LinkSearch,
  openedAt: number,
): LinkFilter => ({
  search: q,
  domain: search.domain,
  tag: search.tag,
  state: search.state,
  created_by: by,
  has_password: isProtected,
  created_after: since && spanStart(since, openedAt),
});

export function useLinkFilters(): Filter[] {
  const { workspace, defaultDomain } = useWorkspace();
  const readsDomains = useCan('domains:read');
  const readsMembers = useCan('members:read');
  return [
    {
      key: 'state',
      kind: 'choice',
      label: t('Status'),
      options: LINK_STATES.map((state) => ({ value: state, label: STATE_NAMES[state] })),
    },
    tagFilter(workspace.id, true),
    ...(readsDomains ? [domainFilter(workspace.id, defaultDomain)] : []),
    { key: 'since', kind: 'span', label: t('Created') },
    ...(readsMembers ? [memberFilter(workspace.id, 'by', t('Created by'))] : []),
    { key: 'protected', kind: 'flag', label: t('Password protected') },
  ];
}
