/** Search over every noun of a workspace, by the server. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiCall, get, send } from './call.ts';
import { getPage } from './list.ts';
import { type Find, type Found, getNoun, NOUNS } from './nouns.ts';
import { isMissing } from './problem.ts';
import type { Page } from './types.ts';

/** An ID finds its record without a search. Returns the record, unread; undefined for other texts. */
export const foundById = (text: string): Found | undefined =>
  /^[a-z]+_[0-9a-z]{26}$/.test(text) && getNoun(text) ? { id: text, label: text } : undefined;

/** Records of each noun that are asked for, at first and if none of them has the whole text as its name. */
const LIMIT = 20;
const MORE = 100;
const MAX_SHOWN = 5;

/**
 * Requests of one search over all nouns. A request looks through a limited number of records, so that a page may be
 * empty although a later one isn't.
 */
const MAX_REQUESTS = 24;

/**
 * Returns 0 for a record whose name, or last part of an address, equals the text; 1 if it begins with the text;
 * otherwise 2.
 */
function distance({ label }: Found, text: string): number {
  const [name, wanted] = [label.toLowerCase(), text.toLowerCase()];
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (name === wanted || last === wanted) return 0;
  return name.startsWith(wanted) || last.startsWith(wanted) ? 1 : 2;
}

/** Returns the records that fit a text best: by their whole name, or the last part of an address, then by its beginning. */
export const getBest = (found: readonly Found[], text: string): Found[] =>
  found.toSorted((a, b) => distance(a, text) - distance(b, text)).slice(0, MAX_SHOWN);

/**
 * Returns the first records of a list that match: more of them if none is the one that is meant.
 * @param ask reads a page
 * @param budget requests that are left for further pages
 */
export async function firstMatches<T>(
  ask: (page: ApiCall<Page<T>>) => Promise<Page<T>>,
  list: ApiCall<Page<T>>,
  budget: { left: number },
  isMeant: (one: T) => boolean,
): Promise<T[]> {
  const data: T[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<T> = await ask(getPage(list, cursor === null ? LIMIT : MORE, cursor));
    data.push(...page.data);
    const next = page.next_cursor;
    if (next === null || budget.left <= 0 || data.length > LIMIT || page.data.some(isMeant)) return data;
    budget.left--;
    cursor = next;
  }
}

/**
 * Finds the records that match a text, of the nouns that the scopes allow.
 * @param text at least one character
 */
export const searchQuery = (workspaceId: string, scopes: readonly string[], text: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'search', text],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const ask = <R>(call: ApiCall<R>): Promise<R> => send(workspaceId, call, { signal });
      const byId = foundById(text);
      if (byId) {
        if (getNoun(text)?.type !== 'request') return [byId];
        // Every response has a request ID, but not every request is logged.
        return await ask(get('/requests/{id}', { path: { id: text } })).then(
          () => [byId],
          (error: unknown) => {
            if (isMissing(error)) return [];
            throw error;
          },
        );
      }
      const budget = { left: MAX_REQUESTS };
      const find: Find = async ({ scope, list, exact, toFound, isAsked, isMatch }) => {
        if (!scopes.includes(scope) || (isAsked && !isAsked(text))) return [];
        budget.left--;
        const named = exact?.(text);
        const [first, matches] = await Promise.all([
          named && ask(named),
          firstMatches(ask, list(text), budget, (one) => distance(toFound(one), text) === 0),
        ]);
        const found = matches.filter((one) => !isMatch || isMatch(one, text)).map(toFound);
        const exactly = (first?.data ?? []).map(toFound);
        const others = found.filter(({ id }) => !exactly.some((one) => one.id === id));
        return getBest([...exactly, ...others], text);
      };
      const parts = await Promise.all(NOUNS.flatMap(({ search }) => (search ? [search(find)] : [])));
      return parts.flat();
    },
    staleTime: 10_000,
  });
