/** The nouns of a workspace that can be searched, as a table: who may, by which list, and how a record is shown. */
import { type Api, unwrap } from './client.ts';
import type { Link, Message, Page } from './types.ts';

export interface Found {
  id: string;
  label: string;
  description?: string | undefined;
}

/** Of one page of a list. */
export type Options = {
  params: { query: { limit: number; search: string; cursor?: string } };
  signal: AbortSignal;
};

export interface Noun<T> {
  /** Which the user needs. */
  scope: string;
  list: (api: Api, page: Options) => Promise<Page<T>>;
  toFound: (one: T) => Found;
  /** Whether records can be found by this text. */
  isAsked: (text: string) => boolean;
}

/** Runs a search over one noun. */
export type Find = <T>(noun: Noun<T>) => Promise<Found[]>;

/** Returns the search over one noun, whatever its records are. */
const noun =
  <T>(
    scope: string,
    list: Noun<T>['list'],
    toFound: Noun<T>['toFound'],
    isAsked: Noun<T>['isAsked'] = () => true,
  ) =>
  (find: Find): Promise<Found[]> =>
    find({ scope, list, toFound, isAsked });

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

/** In the order in which their records are listed. */
export const NOUNS: readonly ((find: Find) => Promise<Found[]>)[] = [
  noun(
    'links:read',
    async (api, options) => {
      const slug = getSlug(options.params.query.search);
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
  noun(
    'contacts:read',
    (api, options) => unwrap(api.GET('/api/v1/contacts', options)),
    ({ id, name, profile_name: profileName, username, identities }) => ({
      id,
      label: name ?? profileName ?? username ?? identities[0]?.address ?? id,
      description: [username, ...identities.map(({ address }) => address)]
        .filter((one) => one !== null)
        .join(' · '),
    }),
  ),
  noun(
    'groups:read',
    (api, options) => unwrap(api.GET('/api/v1/groups', options)),
    ({ id, subject }) => ({ id, label: subject }),
  ),
  noun(
    'instances:read',
    (api, options) => unwrap(api.GET('/api/v1/instances', options)),
    ({ id, name, channel, address }) => ({
      id,
      label: name,
      description: [channel, address].filter(Boolean).join(' · '),
    }),
  ),
  noun(
    'webhooks:read',
    (api, options) => unwrap(api.GET('/api/v1/webhooks', options)),
    ({ id, url, description }) => ({
      id,
      label: url,
      description: description ?? undefined,
    }),
  ),
  noun(
    'rules:read',
    (api, options) => unwrap(api.GET('/api/v1/rules', options)),
    ({ id, name, description }) => ({
      id,
      label: name,
      description: description ?? undefined,
    }),
  ),
  noun(
    'publishing:read',
    (api, options) => unwrap(api.GET('/api/v1/publishing-endpoints', options)),
    ({ id, name }) => ({ id, label: name }),
  ),
  noun(
    'api_keys:read',
    (api, options) => unwrap(api.GET('/api/v1/api-keys', options)),
    ({ id, name, prefix, last4 }) => ({
      id,
      label: name,
      description: `${prefix}…${last4}`,
    }),
  ),
  noun(
    'domains:read',
    (api, options) => unwrap(api.GET('/api/v1/domains', options)),
    ({ id, host }) => ({ id, label: host }),
  ),
  noun(
    'links:read',
    (api, options) => unwrap(api.GET('/api/v1/tags', options)),
    ({ id, name }) => ({ id, label: name }),
  ),
  noun(
    'members:read',
    (api, options) => unwrap(api.GET('/api/v1/members', options)),
    ({ id, name, email }) => ({
      id,
      label: name ?? email ?? id,
      description: email ?? undefined,
    }),
  ),
  noun(
    'chats:read',
    (api, options) => unwrap(api.GET('/api/v1/chats', byQ(options))),
    ({ id, title, contact_name: contact, address }) => ({
      id,
      label: title ?? contact ?? address,
      description: address,
    }),
  ),
  noun(
    'messages:read',
    (api, options) => unwrap(api.GET('/api/v1/messages', byQ(options))),
    (message) => ({
      id: message.id,
      label: getText(message) ?? message.type,
      description: (message.direction === 'inbound' ? message.from : message.to) ?? undefined,
    }),
  ),
  // A workspace has at most 20 inspectors, and their list has no search.
  noun(
    'webhooks:read',
    async (api, { params: { query }, signal }) => {
      const page = await unwrap(api.GET('/api/v1/inspectors', { signal }));
      const wanted = query.search.toLowerCase();
      return { ...page, data: page.data.filter(({ name }) => name.toLowerCase().includes(wanted)) };
    },
    ({ id, name, url }) => ({ id, label: name, description: url }),
  ),
  noun(
    'members:read',
    (api, { params: { query }, signal }) =>
      unwrap(api.GET('/api/v1/invitations', { params: { query: { email: query.search } }, signal })),
    ({ id, email, state }) => ({ id, label: email, description: state }),
    isEmail,
  ),
  noun(
    'providers:read',
    (api, options) => unwrap(api.GET('/api/v1/model-providers', options)),
    ({ id, name, slug, base_url: url }) => ({
      id,
      label: name,
      description: `${slug} · ${url}`,
    }),
  ),
  noun(
    'providers:read',
    (api, options) => unwrap(api.GET('/api/v1/model-routes', options)),
    ({ id, model, attempts }) => ({
      id,
      label: model,
      description: attempts.map((attempt) => attempt.model).join(' → '),
    }),
  ),
  noun(
    'providers:read',
    (api, options) => unwrap(api.GET('/api/v1/budgets', options)),
    ({ id, name }) => ({ id, label: name }),
  ),
];
