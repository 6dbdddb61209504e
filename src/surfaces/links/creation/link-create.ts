/**
 * Creates short links. Every link is created here: by the API, in bulk, by imports and for messages. Link, address,
 * counters, tags and event are written in the caller's transaction. Creating many links takes as few statements as
 * creating one. Each link has its own outcome; a rejected link leaves nothing behind.
 *
 * Lock order: names (external IDs, fingerprints), domains, addresses, tags.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { runBatch } from '../../../platform/db/batch.ts';
import type { AuditOrigin } from '../../../core/api/operation.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { asProblem, Problem } from '../../../platform/http/problem.ts';
import { auditEntries } from '../../../core/workspaces/audit-log.service.ts';
import { takeAddresses } from '../addresses/link-address.system-store.ts';
import type { LinkDeps } from './link-deps.ts';
import { computeFingerprint, sameTags } from '../records/link-fingerprint.ts';
import { type LinkDraft, type LinkInput, readLink, validateDrafts } from './link-input.ts';
import { activeByFingerprint, idsByExternalId, lockNames } from './link-lookup.store.ts';
import { presentLink } from '../records/link-present.ts';
import { externalIdTaken } from './link-problems.ts';
import { buildRoute } from './link-route.ts';
import { readLinks } from '../records/link.store.ts';
import { NEW_LINK } from '../records/link-values.ts';
import { buildInserts, newRow, type WrittenLink } from './link-write.store.ts';
import { insertRouteChanges } from '../redirect/route-change.store.ts';
import { generateSlug } from '../addresses/slug.ts';
import { slugTakenProblems } from '../addresses/slug-taken.ts';
import { addLinkTags } from '../tags/link-tags.store.ts';
import { resolveTags } from '../tags/tag-names.ts';
import type { LinkObject } from '../records/link.schema.ts';

export interface LinkRequest {
  /** Public ID of the API key or user; null for the server itself. */
  actorId: string | null;
  body: LinkInput & { url: string; find_if_exists?: boolean };
  /** Refuses an `expires_at` in the past. Copies of links from elsewhere may have expired. */
  mustLast?: true;
  /** Hash of the password in the body, if there is one. */
  passwordHash?: string | null;
  /** Database IDs. */
  messageId?: string | null;
  contactId?: string | null;
  /** Origin of the audit log entry, if one is to be written with the link. */
  audit?: AuditOrigin | null;
  /** W3C traceparent of the request; by default of the current span. */
  traceparent?: string | null | undefined;
}

export interface CreatedLink extends WithVersion<{ link: LinkObject }> {
  /** False if `find_if_exists` found an existing link. */
  isNew: boolean;
}

type Outcome = CreatedLink | Problem;

/** A validated link that is not written yet. */
interface Plan {
  nth: number;
  request: LinkRequest;
  draft: LinkDraft;
  link: WrittenLink;
  hasOwnSlug: boolean;
}

/** How often slugs are regenerated when the generated ones are taken. */
const MAX_TRIES = 8;

/** Validates links; writes nothing. @param outcomes gets the problems of those that cannot be created */
export async function planLinks(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  requests: readonly LinkRequest[],
  outcomes: (Outcome | undefined)[],
): Promise<Plan[]> {
  const now = unit.clock();
  const plans: Plan[] = [];
  for (const [nth, request] of requests.entries())
    try {
      const { body, passwordHash = null, messageId = null, contactId = null, actorId, mustLast } = request;
      const draft = readLink(body, { ...NEW_LINK, url: body.url }, passwordHash, deps, now, mustLast);
      const hasOwnSlug = draft.values.slug !== '';
      const link = { id: unit.newUuid(), values: draft.values, messageId, contactId, createdBy: actorId };
      plans.push({ nth, request, draft, link, hasOwnSlug });
    } catch (error) {
      outcomes[nth] = asProblem(error);
    }
  const rejected = await validateDrafts(
    unit,
    workspaceId,
    plans.map(({ draft }) => draft),
  );
  return plans.filter(({ nth }, index) => {
    if (rejected[index]) outcomes[nth] = rejected[index];
    return !rejected[index];
  });
}

/** Returns the fingerprint (hex) of a link with `find_if_exists`; null if the link must always be created. */
const getDedupKey = ({ request, link }: Plan): string | null =>
  request.body.find_if_exists && link.values.password_hash === null
    ? computeFingerprint(link.values, link).toString('hex')
    : null;

/**
 * Filters out links that exist already, and links whose external ID is taken.
 * @returns `rest`: the links to create; `same`: links that share the outcome of another link in the batch
 */
async function filterExisting(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  plans: Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<{ rest: Plan[]; same: { nth: number; as: number }[] }> {
  const plansByKey = new Map(
    plans.flatMap((plan) => getDedupKey(plan) ?? []).map((mark) => [mark, [] as Plan[]]),
  );
  const externalIds = plans.flatMap(({ link }) => link.values.external_id ?? []);
  if (plansByKey.size === 0 && externalIds.length === 0) return { rest: plans, same: [] };
  await lockNames(unit.db, workspaceId, [...plansByKey.keys(), ...externalIds.map((id) => `by ${id}`)]);
  const known = new Set((await idsByExternalId(unit.db, workspaceId, externalIds)).keys());
  const found = await activeByFingerprint(unit.db, workspaceId, [...plansByKey.keys()], unit.clock());
  const rows = new Map(
    (
      await readLinks(
        unit.db,
        workspaceId,
        found.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const same: { nth: number; as: number }[] = [];
  const rest = plans.filter((plan) => {
    const { nth, link } = plan;
    const { slug, external_id: externalId } = link.values;
    const key = getDedupKey(plan);
    if (key !== null) {
      const match = found.find(
        (one) =>
          one.fingerprint === key &&
          (slug === '' || one.slug === slug) &&
          // A tag may have been renamed or deleted since, and the job that updates fingerprints may not have run yet.
          sameTags(rows.get(one.id)!.tags, link.values.tags),
      );
      if (match) {
        const row = rows.get(match.id)!;
        outcomes[nth] = {
          link: presentLink(row, deps.baseUrl, unit.clock()),
          version: row.version,
          isNew: false,
        };
        return false;
      }
      const earlier = plansByKey.get(key)!.find((one) => one.link.values.slug === slug);
      if (earlier) {
        same.push({ nth, as: earlier.nth });
        return false;
      }
      plansByKey.get(key)!.push(plan);
    }
    if (externalId === null) return true;
    if (known.has(externalId)) {
      outcomes[nth] = externalIdTaken();
      return false;
    }
    known.add(externalId);
    return true;
  });
  return { rest, same };
}

/** Reserves an address for each link and generates missing slugs. @returns the links whose address was reserved */
async function reserveAddresses(
  unit: Unit,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<Plan[]> {
  const reserved = new Set<Plan>();
  let pending = [...plans];
  const conflicting: Plan[] = [];
  for (let tries = 0; pending.length; tries += 1) {
    if (tries === MAX_TRIES) throw new Error('no free slug found');
    for (const { hasOwnSlug, link } of pending) if (!hasOwnSlug) link.values.slug = generateSlug();
    const reservedIds = await takeAddresses(
      unit.db,
      pending.map(({ link: { id, values } }) => ({
        domain: values.domain,
        slug: values.slug,
        workspace_id: workspaceId,
        link_id: id,
        route: buildRoute(values),
      })),
    );
    for (const plan of pending) {
      if (reservedIds.has(plan.link.id)) reserved.add(plan);
      else if (plan.hasOwnSlug) conflicting.push(plan);
    }
    pending = pending.filter((plan) => !reserved.has(plan) && !plan.hasOwnSlug);
  }
  if (conflicting.length) {
    const problems = await slugTakenProblems(
      unit,
      conflicting.map(({ link }) => link.values),
    );
    for (const [index, { nth }] of conflicting.entries()) outcomes[nth] = problems[index]!;
  }
  return plans.filter((plan) => reserved.has(plan));
}

/** Tags the links. Creates missing tags in the name of the link's creator; adopts the spelling of existing tags. */
async function tag(unit: Unit, workspaceId: string, plans: readonly Plan[]): Promise<void> {
  const tagged = plans.filter(({ link }) => link.values.tags.length);
  if (!tagged.length) return;
  const links: { linkId: string; tagIds: string[] }[] = [];
  for (const [actorId, own] of Map.groupBy(tagged, ({ request }) => request.actorId)) {
    const names = [...new Set(own.flatMap(({ link }) => link.values.tags))];
    const byName = await resolveTags(unit, workspaceId, names, actorId);
    for (const { link } of own) {
      const tags = link.values.tags.map((name) => byName.get(name)!);
      links.push({ linkId: link.id, tagIds: tags.map(({ id }) => id) });
      link.values.tags = tags.map(({ name }) => name).toSorted();
    }
  }
  await addLinkTags(unit.db, workspaceId, links);
}

async function write(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<void> {
  if (!plans.length) return;
  await tag(unit, workspaceId, plans);
  const now = unit.clock();
  const rows = plans.map(({ link }) => newRow(workspaceId, link));
  const links = rows.map((row) => presentLink(row, deps.baseUrl, now));
  const audited = plans.flatMap(({ request: { audit } }, index) =>
    audit ? [{ ...audit, targetId: links[index]!.id, targetName: links[index]!.short_url }] : [],
  );
  await runBatch(unit.db, [
    ...buildInserts(
      rows,
      plans.map(({ link }) => link.values),
    ),
    insertRouteChanges(
      workspaceId,
      rows.map(({ domain, slug }) => ({ domain, slug })),
    ),
    audited.length ? auditEntries(unit, audited) : null,
    await unit.events.insertion(
      unit,
      links.map((link, index) => ({
        workspaceId,
        type: 'link.created',
        resourceId: link.id,
        object: link,
        traceparent: plans[index]!.request.traceparent,
      })),
    ),
  ]);
  for (const [index, { nth }] of plans.entries())
    outcomes[nth] = { link: links[index]!, version: rows[index]!.version, isNew: true };
}

/**
 * Creates links of one workspace, independently of each other.
 * @param unit a transaction that holds no locks on links yet
 * @returns an outcome for each request, in the same order
 */
export async function createLinks(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  requests: readonly LinkRequest[],
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = requests.map(() => undefined);
  const planned = await planLinks(unit, deps, workspaceId, requests, outcomes);
  const { rest, same } = await filterExisting(unit, deps, workspaceId, planned, outcomes);
  const allowed = rest.length ? await deps.quotas.remaining(unit, workspaceId, 'links') : null;
  for (const { nth } of rest.slice(allowed?.count)) outcomes[nth] = allowed!.exceeded;
  const addressed = await reserveAddresses(unit, workspaceId, rest.slice(0, allowed?.count), outcomes);
  await write(unit, deps, workspaceId, addressed, outcomes);
  for (const { nth, as } of same) {
    const first = outcomes[as]!;
    outcomes[nth] = first instanceof Problem ? first : { ...first, isNew: false };
  }
  return outcomes.map((outcome) => outcome!);
}
