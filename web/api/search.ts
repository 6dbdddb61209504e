/** Search over every noun of a workspace, by the server. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { getPrefix } from './objects.ts';
import type { Link, Message, Page } from './types.ts';

export interface Found {
  id: string;
  label: string;
  description?: string | undefined;
}

/** An ID finds its record without a search. Returns the record, unread; undefined for other texts. */
export const foundById = (text: string): Found | undefined =>
  /^[a-z]+_[0-9a-z]{26}$/.test(text) && getPrefix(text) ? { id: text, label: text } : undefined;

/** Records of each noun that are asked for, at first and if none of them has the whole text as its name. */
const LIMIT = 20;
const MORE = 100;
const MAX_SHOWN = 5;

/**
 * Requests of one search over all nouns. A request looks through a limited number of records, so that a page may be
 * empty although a later one isn't.
 */
const MAX_REQUESTS = 24;

/** 0 for a record whose whole name, or last part of an address, is the text; 1 if it begins so; else 2. */
function distance({ label }: Found, text: string): number {
  const [name, wanted] = [label.toLowerCase(), text.toLowerCase()];
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (name === wanted || last === wanted) return 0;
  return name.startsWith(wanted) || last.startsWith(wanted) ? 1 : 2;
}

/** Returns the records that fit a text best: by their whole name, or the last part of an address, then by its beginning. */
export const getBest = (found: readonly Found[], text: string): Found[] =>
  found.toSorted((a, b) => distance(a, text) - distance(b, text)).slice(0, MAX_SHOWN);

type Options = {
  params: { query: { limit: number; search: string; cursor?: string } };
  signal: AbortSignal;
};

/**
 * Returns the first records of a list that match: more of them if none is the one that is meant.
 * @param budget requests that are left for further pages
 */
export async function firstMatches<T>(
  list: (page: Options) => Promise<Page<T>>,
  search: string,
  budget: { left: number },
  signal: AbortSignal,
  isMeant: (one: T) => boolean,
): Promise<T[]> {
  const data: T[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: cursor === null ? LIMIT : MORE, search, ...(cursor !== null && { cursor }) };
    const page: Page<T> = await list({ params: { query }, signal });
    data.push(...page.data);
    const next = page.next_cursor;
    if (next === null || budget.left <= 0 || data.length > LIMIT || page.data.some(isMeant)) return data;
    budget.left--;
    cursor = next;
  }
}

/** Options for the lists whose search parameter is `q`. */
const byQ = ({ params: { query }, signal }: Options) => {
  const { search: q, ...page } = query;
  return { params: { query: { ...page, q } }, signal };
};

/** Returns the slug that a text names, alone or as the end of a short URL; undefined if it can't be one. */
export const getSlug = (text: string): string | undefined =>
  /(?:^|\/)([\p{L}\p{M}\p{N}_-]{1,100})$/u.exec(text)?.[1];

/** Invitations are found by their whole email. */
const isEmail = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text);

const MAX_LABEL = 80;
const getText = ({ text }: Message): string | undefined => text?.body.slice(0, MAX_LABEL);

/**
 * Finds the records that match a text, of the nouns that the scopes allow.
 * @param text at least one character
 */
export const searchQuery = (workspaceId: string, scopes: readonly string[], text: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'search', text],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const api = apiFor(workspaceId);
      const byId = foundById(text);
      if (byId) {
        if (getPrefix(text) !== 'req') return [byId];
        // Every response has a request ID, but not every request is logged.
        const params = { path: { id: text } };
        const { response } = await api.GET('/api/v1/requests/{id}', { params, signal });
        return response.ok ? [byId] : [];
      }
      const budget = { left: MAX_REQUESTS };
      const find = async <T>(
        scope: string,
        list: (page: Options) => Promise<Page<T>>,
        found: (one: T) => Found,
      ) => {
        if (!scopes.includes(scope)) return [];
        budget.left--;
        const isMeant = (one: T) => distance(found(one), text) === 0;
        return getBest((await firstMatches(list, text, budget, signal, isMeant)).map(found), text);
      };
      const parts = await Promise.all([
        find(
          'links:read',
          async (options) => {
            const slug = getSlug(text);
            const isFirst = options.params.query.cursor === undefined;
            const [exact, page] = await Promise.all([
              isFirst && slug !== undefined
                ? unwrap(api.GET('/api/v1/links', { params: { query: { slug } }, signal: options.signal }))
                : undefined,
              unwrap(api.GET('/api/v1/links', options)),
            ]);
            const first = exact?.data ?? [];
            const isOther = ({ id }: Link) => !first.some((one) => one.id === id);
            return { ...page, data: [...first, ...page.data.filter(isOther)] };
          },
          ({ id, short_url: address, title, url }) => ({
            id,
            label: address.replace(/^https?:\/\//, ''),
            description: title ?? url,
          }),
        ),
        find(
          'contacts:read',
          (options) => unwrap(api.GET('/api/v1/contacts', options)),
          ({ id, name, profile_name: profileName, username, identities }) => ({
            id,
            label: name ?? profileName ?? username ?? identities[0]?.address ?? id,
            description: [username, ...identities.map(({ address }) => address)]
              .filter((one) => one !== null)
              .join(' · '),
          }),
        ),
        find(
          'groups:read',
          (options) => unwrap(api.GET('/api/v1/groups', options)),
          ({ id, subject }) => ({ id, label: subject }),
        ),
        find(
          'instances:read',
          (options) => unwrap(api.GET('/api/v1/instances', options)),
          ({ id, name, channel, address }) => ({
            id,
            label: name,
            description: [channel, address].filter(Boolean).join(' · '),
          }),
        ),
        find(
          'webhooks:read',
          (options) => unwrap(api.GET('/api/v1/webhooks', options)),
          ({ id, url, description }) => ({
            id,
            label: url,
            description: description ?? undefined,
          }),
        ),
        find(
          'rules:read',
          (options) => unwrap(api.GET('/api/v1/rules', options)),
          ({ id, name, description }) => ({
            id,
            label: name,
            description: description ?? undefined,
          }),
        ),
        find(
          'publishing:read',
          (options) => unwrap(api.GET('/api/v1/publishing-endpoints', options)),
          ({ id, name }) => ({ id, label: name }),
        ),
        find(
          'api_keys:read',
          (options) => unwrap(api.GET('/api/v1/api-keys', options)),
          ({ id, name, prefix, last4 }) => ({
            id,
            label: name,
            description: `${prefix}…${last4}`,
          }),
        ),
        find(
          'domains:read',
          (options) => unwrap(api.GET('/api/v1/domains', options)),
          ({ id, host }) => ({ id, label: host }),
        ),
        find(
          'links:read',
          (options) => unwrap(api.GET('/api/v1/tags', options)),
          ({ id, name }) => ({ id, label: name }),
        ),
        find(
          'members:read',
          (options) => unwrap(api.GET('/api/v1/members', options)),
          ({ id, name, email }) => ({
            id,
            label: name ?? email ?? id,
            description: email ?? undefined,
          }),
        ),
        find(
          'chats:read',
          (options) => unwrap(api.GET('/api/v1/chats', byQ(options))),
          ({ id, title, contact_name: contact, address }) => ({
            id,
            label: title ?? contact ?? address,
            description: address,
          }),
        ),
        find(
          'messages:read',
          (options) => unwrap(api.GET('/api/v1/messages', byQ(options))),
          (message) => ({
            id: message.id,
            label: getText(message) ?? message.type,
            description: (message.direction === 'inbound' ? message.from : message.to) ?? undefined,
          }),
        ),
        // A workspace has at most 20 inspectors, and their list has no search.
        find(
          'webhooks:read',
          async ({ signal: aborts }) => {
            const page = await unwrap(api.GET('/api/v1/inspectors', { signal: aborts }));
            const wanted = text.toLowerCase();
            return { ...page, data: page.data.filter(({ name }) => name.toLowerCase().includes(wanted)) };
          },
          ({ id, name, url }) => ({ id, label: name, description: url }),
        ),
        isEmail(text)
          ? find(
              'members:read',
              ({ signal: aborts }) =>
                unwrap(
                  api.GET('/api/v1/invitations', { params: { query: { email: text } }, signal: aborts }),
                ),
              ({ id, email, state }) => ({ id, label: email, description: state }),
            )
          : [],
        find(
          'providers:read',
          (options) => unwrap(api.GET('/api/v1/model-providers', options)),
          ({ id, name, slug, base_url: url }) => ({
            id,
            label: name,
            description: `${slug} · ${url}`,
          }),
        ),
        find(
          'providers:read',
          (options) => unwrap(api.GET('/api/v1/model-routes', options)),
          ({ id, model, attempts }) => ({
            id,
            label: model,
            description: attempts.map((attempt) => attempt.model).join(' → '),
          }),
        ),
        find(
          'providers:read',
          (options) => unwrap(api.GET('/api/v1/budgets', options)),
          ({ id, name }) => ({ id, label: name }),
        ),
      ]);
      return parts.flat();
    },
    staleTime: 10_000,
  });
