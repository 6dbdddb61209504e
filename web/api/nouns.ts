/**
 * The objects of a workspace, by the prefix of their IDs: names, icon, page and search of each. It is in the order in
 * which the search lists them.
 */
import {
  IconActivity,
  IconAddressBook,
  IconBolt,
  IconBroadcast,
  IconCloudComputing,
  IconCpu,
  IconHistory,
  IconInbox,
  IconKey,
  IconLink,
  IconListDetails,
  IconMailForward,
  IconMessage,
  IconMessages,
  IconPhoto,
  IconPlugConnected,
  IconRoute,
  IconSend,
  IconTag,
  IconUser,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { t } from '../copy/text.ts';
import { type ApiCall, get } from './call.ts';
import type { Message, Page } from './types.ts';

export interface Found {
  id: string;
  label: string;
  description?: string | undefined;
}

/** How the records of a noun are found by a text. */
export interface Finder<T> {
  /** Which the user needs. */
  scope: string;
  /** Reads the records that match; pages are added. */
  list: (text: string) => ApiCall<Page<T>>;
  /** Reads records that the text names exactly, which are listed first. */
  exact?: (text: string) => ApiCall<Page<T>> | undefined;
  toFound: (one: T) => Found;
  /** Whether records can be found by this text. */
  isAsked?: (text: string) => boolean;
  /** Whether a record matches, where the list has no search. */
  isMatch?: (one: T, text: string) => boolean;
}

/** Runs a search over one noun. */
export type Find = <T>(finder: Finder<T>) => Promise<Found[]>;

interface Noun {
  /** `object.object` of the API. */
  type: string;
  one: string;
  many: string;
  icon: TablerIcon;
  /** @param name of an object that was read; otherwise its ID */
  page: (id: string, name: string) => LinkProps;
  search?: (find: Find) => Promise<Found[]>;
}

/** Returns the address of an object that has a page of its own. */
const page =
  (to: LinkProps['to']): Noun['page'] =>
  (id) => ({ to, params: { id } });

/** Returns the address of an object that is a sheet on the page of its list. */
const sheet =
  (to: LinkProps['to']): Noun['page'] =>
  (id) => ({ to, search: { id } });

/** Returns the search over one noun. */
const finder =
  <T>(by: Finder<T>): Noun['search'] =>
  (find) =>
    find(by);

/** Returns the slug that a text names, alone or as the end of a short URL; undefined if it can't be one. */
export const getSlug = (text: string): string | undefined =>
  /(?:^|\/)([\p{L}\p{M}\p{N}_-]{1,100})$/u.exec(text)?.[1];

const MAX_LABEL = 80;
const getText = ({ text }: Message): string | undefined => text?.body.slice(0, MAX_LABEL);

const BY_PREFIX = {
  lnk: {
    type: 'link',
    one: t('Link'),
    many: t('Links'),
    icon: IconLink,
    page: page('/w/$workspace/links/$id'),
    search: finder({
      scope: 'links:read',
      list: (search) => get('/links', { query: { search } }),
      exact: (text) => {
        const slug = getSlug(text);
        return slug === undefined ? undefined : get('/links', { query: { slug } });
      },
      toFound: ({ id, short_url: address, title, url }) => ({
        id,
        label: address.replace(/^https?:\/\//, ''),
        description: title ?? url,
      }),
    }),
  },
  con: {
    type: 'contact',
    one: t('Contact'),
    many: t('Contacts'),
    icon: IconAddressBook,
    page: sheet('/w/$workspace/contacts'),
    search: finder({
      scope: 'contacts:read',
      list: (search) => get('/contacts', { query: { search } }),
      toFound: ({ id, name, profile_name: profileName, username, identities }) => ({
        id,
        label: name ?? profileName ?? username ?? identities[0]?.address ?? id,
        description: [username, ...identities.map(({ address }) => address)]
          .filter((one) => one !== null)
          .join(' · '),
      }),
    }),
  },
  grp: {
    type: 'group',
    one: t('Group'),
    many: t('Groups'),
    icon: IconUsersGroup,
    page: page('/w/$workspace/groups/$id'),
    search: finder({
      scope: 'groups:read',
      list: (search) => get('/groups', { query: { search } }),
      toFound: ({ id, subject }) => ({ id, label: subject }),
    }),
  },
  ins: {
    type: 'instance',
    one: t('Instance'),
    many: t('Instances'),
    icon: IconPlugConnected,
    page: page('/w/$workspace/instances/$id'),
    search: finder({
      scope: 'instances:read',
      list: (search) => get('/instances', { query: { search } }),
      toFound: ({ id, name, channel, address }) => ({
        id,
        label: name,
        description: [channel, address].filter(Boolean).join(' · '),
      }),
    }),
  },
  whk: {
    type: 'webhook',
    one: t('Webhook'),
    many: t('Webhooks'),
    icon: IconWebhook,
    page: page('/w/$workspace/webhooks/$id'),
    search: finder({
      scope: 'webhooks:read',
      list: (search) => get('/webhooks', { query: { search } }),
      toFound: ({ id, url, description }) => ({ id, label: url, description: description ?? undefined }),
    }),
  },
  rul: {
    type: 'rule',
    one: t('Rule'),
    many: t('Rules'),
    icon: IconBolt,
    page: page('/w/$workspace/rules/$id'),
    search: finder({
      scope: 'rules:read',
      list: (search) => get('/rules', { query: { search } }),
      toFound: ({ id, name, description }) => ({ id, label: name, description: description ?? undefined }),
    }),
  },
  pep: {
    type: 'publishing_endpoint',
    one: t('Publishing endpoint'),
    many: t('Publishing endpoints'),
    icon: IconBroadcast,
    page: page('/w/$workspace/publishing/$id'),
    search: finder({
      scope: 'publishing:read',
      list: (search) => get('/publishing-endpoints', { query: { search } }),
      toFound: ({ id, name }) => ({ id, label: name }),
    }),
  },
  key: {
    type: 'api_key',
    one: t('API key'),
    many: t('API keys'),
    icon: IconKey,
    page: sheet('/w/$workspace/api-keys'),
    search: finder({
      scope: 'api_keys:read',
      list: (search) => get('/api-keys', { query: { search } }),
      toFound: ({ id, name, prefix, last4 }) => ({ id, label: name, description: `${prefix}…${last4}` }),
    }),
  },
  dom: {
    type: 'domain',
    one: t('Domain'),
    many: t('Domains'),
    icon: IconWorld,
    page: sheet('/w/$workspace/domains'),
    search: finder({
      scope: 'domains:read',
      list: (search) => get('/domains', { query: { search } }),
      toFound: ({ id, host }) => ({ id, label: host }),
    }),
  },
  tag: {
    type: 'tag',
    one: t('Tag'),
    many: t('Tags'),
    icon: IconTag,
    // Links are filtered by the name of a tag, which its ID doesn't tell.
    page: (id, name) =>
      name === id ? { to: '/w/$workspace/tags' } : { to: '/w/$workspace/links', search: { tag: name } },
    search: finder({
      scope: 'links:read',
      list: (search) => get('/tags', { query: { search } }),
      toFound: ({ id, name }) => ({ id, label: name }),
    }),
  },
  usr: {
    type: 'member',
    one: t('Member'),
    many: t('Members'),
    icon: IconUser,
    page: (id, name) => ({ to: '/w/$workspace/members', search: name === id ? {} : { q: name } }),
    search: finder({
      scope: 'members:read',
      list: (search) => get('/members', { query: { search } }),
      toFound: ({ id, name, email }) => ({ id, label: name ?? email ?? id, description: email ?? undefined }),
    }),
  },
  inv: {
    type: 'invitation',
    one: t('Invitation'),
    many: t('Invitations'),
    icon: IconMailForward,
    page: () => ({ to: '/w/$workspace/members', search: { tab: 'invitations' } }),
    search: finder({
      scope: 'members:read',
      list: (email) => get('/invitations', { query: { email } }),
      toFound: ({ id, email, state }) => ({ id, label: email, description: state }),
      // They are found by their whole email.
      isAsked: (text) => /^\S+@\S+\.\S+$/.test(text),
    }),
  },
  chat: {
    type: 'chat',
    one: t('Chat'),
    many: t('Chats'),
    icon: IconMessages,
    page: page('/w/$workspace/chats/$id'),
    search: finder({
      scope: 'chats:read',
      list: (q) => get('/chats', { query: { q } }),
      toFound: ({ id, title, contact_name: contact, address }) => ({
        id,
        label: title ?? contact ?? address,
        description: address,
      }),
    }),
  },
  msg: {
    type: 'message',
    one: t('Message'),
    many: t('Messages'),
    icon: IconMessage,
    page: page('/w/$workspace/open/$id'),
    search: finder({
      scope: 'messages:read',
      list: (q) => get('/messages', { query: { q } }),
      toFound: (message) => ({
        id: message.id,
        label: getText(message) ?? message.type,
        description: (message.direction === 'inbound' ? message.from : message.to) ?? undefined,
      }),
    }),
  },
  med: {
    type: 'media',
    one: t('Media'),
    many: t('Media'),
    icon: IconPhoto,
    page: sheet('/w/$workspace/media'),
  },
  pub: {
    type: 'publication',
    one: t('Publication'),
    many: t('Publications'),
    icon: IconBroadcast,
    page: (id) => ({ to: '/w/$workspace/publishing', search: { tab: 'runs', publication: id } }),
  },
  run: {
    type: 'rule_run',
    one: t('Rule run'),
    many: t('Rule runs'),
    icon: IconBolt,
    page: (id) => ({ to: '/w/$workspace/rules', search: { tab: 'runs', run: id } }),
  },
  insp: {
    type: 'inspector',
    one: t('Inspector'),
    many: t('Inspectors'),
    icon: IconInbox,
    page: sheet('/w/$workspace/inspector'),
    search: finder({
      scope: 'webhooks:read',
      // A workspace has at most 20, and their list has no search.
      list: () => get('/inspectors'),
      isMatch: ({ name }, text) => name.toLowerCase().includes(text.toLowerCase()),
      toFound: ({ id, name, url }) => ({ id, label: name, description: url }),
    }),
  },
  dlv: {
    type: 'delivery',
    one: t('Delivery'),
    many: t('Deliveries'),
    icon: IconSend,
    page: page('/w/$workspace/open/$id'),
  },
  prv: {
    type: 'model_provider',
    one: t('Model provider'),
    many: t('Model providers'),
    icon: IconCloudComputing,
    page: page('/w/$workspace/model-providers/$id'),
    search: finder({
      scope: 'providers:read',
      list: (search) => get('/model-providers', { query: { search } }),
      toFound: ({ id, name, slug, base_url: url }) => ({ id, label: name, description: `${slug} · ${url}` }),
    }),
  },
  rte: {
    type: 'model_route',
    one: t('Model route'),
    many: t('Model routes'),
    icon: IconRoute,
    page: sheet('/w/$workspace/model-routes'),
    search: finder({
      scope: 'providers:read',
      list: (search) => get('/model-routes', { query: { search } }),
      toFound: ({ id, model, attempts }) => ({
        id,
        label: model,
        description: attempts.map((attempt) => attempt.model).join(' → '),
      }),
    }),
  },
  bud: {
    type: 'budget',
    one: t('Budget'),
    many: t('Budgets'),
    icon: IconWallet,
    page: sheet('/w/$workspace/budgets'),
    search: finder({
      scope: 'providers:read',
      list: (search) => get('/budgets', { query: { search } }),
      toFound: ({ id, name }) => ({ id, label: name }),
    }),
  },
  mcl: {
    type: 'model_call',
    one: t('Model call'),
    many: t('Model calls'),
    icon: IconCpu,
    page: (id) => ({ to: '/w/$workspace/model-usage', search: { call: id } }),
  },
  evt: {
    type: 'event',
    one: t('Event'),
    many: t('Events'),
    icon: IconActivity,
    page: page('/w/$workspace/events/$id'),
  },
  aud: {
    type: 'audit_entry',
    one: t('Audit log entry'),
    many: t('Audit log'),
    icon: IconHistory,
    page: sheet('/w/$workspace/audit-log'),
  },
  req: {
    type: 'request',
    one: t('Request'),
    many: t('Requests'),
    icon: IconListDetails,
    page: sheet('/w/$workspace/requests'),
  },
} satisfies Record<string, Noun>;

export const NOUNS: readonly (Noun & { prefix: string })[] = Object.entries(BY_PREFIX).map(
  ([prefix, noun]) => ({ prefix, ...noun }),
);

/** Returns the noun of an ID; undefined if its objects have no page. */
export const getNoun = (id: string): (Noun & { prefix: string }) | undefined =>
  NOUNS.find(({ prefix }) => id.startsWith(`${prefix}_`));

/**
 * Returns the link to the page of an object, or null if it has none.
 * @param workspace slug
 * @param name of an object that was read
 */
export function objectLink(workspace: string, id: string, name = id): LinkProps | null {
  const noun = getNoun(id);
  if (!noun) return null;
  const { params, ...link } = noun.page(id, name);
  return { ...link, params: { ...(params as object), workspace } };
}
