/** Search over every noun of a workspace, by the server. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { getPrefix } from './objects.ts';
import type { Message, Page } from './types.ts';

export interface Found {
  id: string;
  label: string;
  description?: string | undefined;
}

/** An ID finds its record without a search. Returns the record, unread; undefined for other texts. */
export const foundById = (text: string): Found | undefined =>
  /^[a-z]+_[0-9a-z]{26}$/.test(text) && getPrefix(text) ? { id: text, label: text } : undefined;

/** Records of each noun that are asked for, and the best of them that are shown. */
const LIMIT = 20;
const MAX_SHOWN = 5;

/**
 * Requests of one search over all nouns. A request looks through a limited number of records, so that a page may be
 * empty although a later one isn't.
 */
const MAX_REQUESTS = 24;

/** Returns the records that fit a text best: by their whole name, or the last part of an address, then by its beginning. */
export function getBest(found: readonly Found[], text: string): Found[] {
  const wanted = text.toLowerCase();
  const distance = ({ label }: Found): number => {
    const name = label.toLowerCase();
    const last = name.slice(name.lastIndexOf('/') + 1);
    if (name === wanted || last === wanted) return 0;
    return name.startsWith(wanted) || last.startsWith(wanted) ? 1 : 2;
  };
  return found.toSorted((a, b) => distance(a) - distance(b)).slice(0, MAX_SHOWN);
}

type Options = {
  params: { query: { limit: number; search: string; cursor?: string } };
  signal: AbortSignal;
};

/** Returns the first records of a list that match. @param budget requests that are left for further pages */
export async function firstMatches<T>(
  list: (page: Options) => Promise<Page<T>>,
  search: string,
  budget: { left: number },
  signal: AbortSignal,
): Promise<T[]> {
  for (let cursor: string | null = null; ;) {
    const query = { limit: LIMIT, search, ...(cursor !== null && { cursor }) };
    const { data, next_cursor: next }: Page<T> = await list({ params: { query }, signal });
    if (data.length > 0 || next === null || budget.left <= 0) return data;
    budget.left--;
    cursor = next;
  }
}

/** Options for the lists whose search parameter is `q`. */
const byQ = ({ params: { query }, signal }: Options) => {
  const { search: q, ...page } = query;
  return { params: { query: { ...page, q } }, signal };
};

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
      const byId = foundById(text);
      if (byId) return [byId];
      const api = apiFor(workspaceId);
      const budget = { left: MAX_REQUESTS };
      const find = async <T>(
        scope: string,
        list: (page: Options) => Promise<Page<T>>,
        found: (one: T) => Found,
      ) => {
        if (!scopes.includes(scope)) return [];
        budget.left--;
        return getBest((await firstMatches(list, text, budget, signal)).map(found), text);
      };
      const parts = await Promise.all([
        find(
          'links:read',
          (options) => unwrap(api.GET('/api/v1/links', options)),
          ({ id, short_url: address, title, url }) => ({
            id,
            label: address.replace(/^https?:\/\//, ''),
            description: title ?? url,
          }),
        ),
        find(
          'contacts:read',
          (options) => unwrap(api.GET('/api/v1/contacts', options)),
          ({ id, name, profile_name: profileName, identities }) => ({
            id,
            label: name ?? profileName ?? identities[0]?.address ?? id,
            description: identities.map(({ address }) => address).join(' · '),
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
