/**
 * Validates and merges link input with the link's current values. All errors are reported together: malformed fields as
 * 400, or, if there are none, rejected values as 422. Checks that need the database run for many links together
 * (`validateDrafts`).
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import type { CreateLinkBody, UpdateLinkBody } from '../records/link.schema.ts';
import { comparableHost, linkLoop, type UrlErrors, type UrlRules } from '../addresses/link-url.ts';
import type { LinkValues } from '../records/link-values.ts';
import { mapTexts, UTM_NAMES } from '../records/link-fields.schema.ts';
import { findLinkDomains } from '../addresses/link-address.system-store.ts';
import { domainsByHost } from './link-lookup.store.ts';
import { isMisleadingSlug } from '../addresses/reserved-slugs.ts';
import { readSlug } from '../addresses/slug.ts';
import { normalizeTagName } from '../tags/tag-names.ts';

export type LinkInput = Partial<CreateLinkBody> & Pick<UpdateLinkBody, 'archived'>;

export interface InputDeps {
  baseUrl: string;
  urlRules: UrlRules;
}

export interface LinkDraft {
  values: LinkValues;
  /** Hostname that must be a verified domain of the workspace; null for the default domain or an unchanged one. */
  requestedDomain: string | null;
  /** Hostnames of destinations, which must not be link domains of this server. */
  hosts: { host: string; pointer: string }[];
}

const rejection = (errors: FieldError[]): Problem =>
  new Problem('unprocessable', errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '), {
    errors,
  });

/** Reads a domain: `''` for the default domain, else the hostname to look up. */
function readDomain(
  input: string,
  baseUrl: string,
  shape: FieldError[],
): { domain: '' } | { wanted: string } | null {
  const own = new URL(baseUrl);
  const url = /^[^/?#@\\\s]+$/.test(input) ? URL.parse(`http://${input}`) : null;
  if (url === null || url.hostname === '') {
    shape.push({
      pointer: '/domain',
      code: 'invalid_domain',
      detail: 'must be a hostname such as go.example.com',
    });
    return null;
  }
  const host = comparableHost(url.hostname);
  if (input.toLowerCase() === own.host || host === comparableHost(own.hostname)) return { domain: '' };
  return { wanted: host };
}

/** Normalizes a domain to its stored form; null if it is malformed. */
export function normalizeDomain(input: string | undefined, baseUrl: string): string | null {
  if (input === undefined) return '';
  const read = readDomain(input, baseUrl, []);
  return read === null ? null : 'domain' in read ? '' : read.wanted;
}

/** Removes duplicate tag names, ignoring case. */
function readTags(names: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const name of names.map(normalizeTagName)) {
    const key = name.toLowerCase();
    if (!byName.has(key)) byName.set(key, name);
  }
  return [...byName.values()].toSorted();
}

function readUrls(body: LinkInput, rules: UrlRules, errors: UrlErrors): LinkDraft['hosts'] {
  const hosts: LinkDraft['hosts'] = [];
  const checkUrl = (url: string | null | undefined, pointer: string, only?: 'web'): void => {
    const host = url == null ? null : rules.check(url, pointer, errors, only);
    if (host !== null && only === undefined) hosts.push({ host, pointer });
  };
  checkUrl(body.url, '/url');
  checkUrl(body.expired_url, '/expired_url');
  for (const [nth, { url }] of (body.targeting ?? []).entries()) checkUrl(url, `/targeting/${nth}/url`);
  if (body.image != null) readImage(body.image, rules, errors);
  return hosts;
}

/** Validates an image URL. It may be on this server, as media are, because visitors are not redirected to it. */
function readImage(url: string, rules: UrlRules, errors: UrlErrors): void {
  const own: UrlErrors = { shape: [], rejected: [] };
  rules.check(url, '/image', own, 'web');
  errors.shape.push(...own.shape);
  errors.rejected.push(...own.rejected.filter(({ code }) => code !== 'link_loop'));
}

const toDate = (time: string | null): Date | null => (time === null ? null : new Date(time));
const trimToNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : text.trim();

/**
 * Validates link input and applies it to `base`.
 * @param base current values of the link, or the defaults of a new one
 * @param passwordHash hash of the password in the body, if there is one
 * @param mustLast whether an `expires_at` in the past is rejected
 * @throws Problem invalid_request, unprocessable
 */
export function readLink(
  body: LinkInput,
  base: LinkValues,
  passwordHash: string | null,
  { baseUrl, urlRules }: InputDeps,
  now: Date,
  mustLast = false,
): LinkDraft {
  const errors: UrlErrors = { shape: [], rejected: [] };
  const hosts = readUrls(body, urlRules, errors);
  const slug = body.slug === undefined ? base.slug : readSlug(body.slug);
  if (slug === null)
    errors.shape.push({
      pointer: '/slug',
      code: 'invalid_slug',
      detail: 'may only contain letters, digits, _ and -, at most 100 characters',
    });
  const domain = body.domain === undefined ? null : readDomain(body.domain, baseUrl, errors.shape);
  const requestedDomain =
    domain && 'wanted' in domain && domain.wanted !== base.domain ? domain.wanted : null;
  const isOnDefault = domain === null ? base.domain === '' : 'domain' in domain;
  if (slug && isOnDefault && (slug !== base.slug || base.domain !== '') && isMisleadingSlug(slug))
    errors.rejected.push({
      pointer: '/slug',
      code: 'slug_reserved',
      detail: 'is reserved by this server; choose another slug or use your own domain',
    });
  if (mustLast && body.expires_at != null && new Date(body.expires_at) <= now)
    errors.rejected.push({ pointer: '/expires_at', code: 'in_the_past', detail: 'must be in the future' });
  if (errors.shape.length) throw invalid(errors.shape);
  if (errors.rejected.length) throw rejection(errors.rejected);

  const archivedAt = base.archived_at ?? now;
  const values: LinkValues = {
    ...base,
    domain: domain && 'domain' in domain ? '' : (requestedDomain ?? base.domain),
    slug: slug!,
    url: body.url ?? base.url,
    ...mapTexts((name) => (body[name] === undefined ? base[name] : trimToNull(body[name]))),
    image: body.image === undefined ? base.image : body.image,
    archived_at: body.archived === undefined ? base.archived_at : body.archived ? archivedAt : null,
    expires_at: body.expires_at === undefined ? base.expires_at : toDate(body.expires_at),
    expired_url: body.expired_url === undefined ? base.expired_url : body.expired_url,
    max_clicks: body.max_clicks === undefined ? base.max_clicks : body.max_clicks,
    password_hash: body.password === undefined ? base.password_hash : passwordHash,
    targeting: body.targeting ?? base.targeting,
    utm: body.utm === undefined ? base.utm : readUtm(body.utm),
    forward_query: body.forward_query ?? base.forward_query,
    redirect_status: body.redirect_status ?? base.redirect_status,
    external_id: body.external_id === undefined ? base.external_id : body.external_id,
    metadata: body.metadata ?? base.metadata,
    tags: body.tags === undefined ? base.tags : readTags(body.tags),
  };
  return { values, requestedDomain, hosts };
}

const readUtm = (utm: NonNullable<CreateLinkBody['utm']>): LinkValues['utm'] =>
  Object.fromEntries(UTM_NAMES.flatMap((name) => (utm[name] == null ? [] : [[name, utm[name]]])));

/**
 * Checks domains and destination hosts of many drafts. The domains in use are share-locked until the transaction ends.
 * @returns for each draft the problem, or null
 */
export async function validateDrafts(
  unit: Unit,
  workspaceId: string,
  drafts: readonly LinkDraft[],
): Promise<(Problem | null)[]> {
  const requested = [...new Set(drafts.flatMap(({ requestedDomain }) => requestedDomain ?? []))];
  const domains = await domainsByHost(unit.db, workspaceId, requested);
  const hosts = [...new Set(drafts.flatMap((draft) => draft.hosts.map(({ host }) => host)))];
  const linkDomains = await findLinkDomains(unit.db, hosts);
  return drafts.map(({ requestedDomain, hosts: own }) => {
    const errors = own.filter(({ host }) => linkDomains.has(host)).map(({ pointer }) => linkLoop(pointer));
    if (requestedDomain !== null && domains.get(requestedDomain) !== 'verified')
      errors.push({
        pointer: '/domain',
        code: domains.has(requestedDomain) ? 'domain_not_verified' : 'unknown_domain',
        detail: domains.has(requestedDomain)
          ? 'is not verified yet'
          : 'is neither the host of this server nor a domain of this workspace',
      });
    return errors.length ? rejection(errors) : null;
  });
}
