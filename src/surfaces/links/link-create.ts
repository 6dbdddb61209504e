/**
 * Making short links: the one function by which any is made, whoever asks (API, bulk, import, messages). Link, address,
 * counters, tags and event are written in the caller's transaction, for many links in as few statements as for one; each
 * gets an outcome of its own, and what is refused leaves nothing behind.
 *
 * Lock order: names (external ids, fingerprints), domains, addresses, tags.
 */
import type { Unit } from '../../core/unit-of-work.ts';
import { runBatch } from '../../platform/db/batch.ts';
import type { AuditOrigin } from '../../core/api/operation.ts';
import { Problem } from '../../platform/http/problem.ts';
import { auditEntries } from '../../core/workspaces/audit-log.service.ts';
import { takeAddresses } from './link-address.system-store.ts';
import type { LinkDeps } from './link-deps.ts';
import { fingerprintOf, sameTags } from './link-fingerprint.ts';
import { type LinkDraft, type LinkInput, readLink, validateDrafts } from './link-input.ts';
import { activeByFingerprint, idsByExternalId, lockNames } from './link-lookup.store.ts';
import { type LinkWithVersion, presentLink } from './link-present.ts';
import { externalIdTaken, problemOf } from './link-problems.ts';
import { routeOf } from './link-route.ts';
import { readLinks } from './link.store.ts';
import { NEW_LINK } from './link-values.ts';
import { insertsOf, newRow, type WrittenLink } from './link-write.store.ts';
import { insertRouteChanges } from './redirect/route-change.store.ts';
import { makeSlug } from './slug.ts';
import { slugTakenProblems } from './slug-taken.ts';
import { addLinkTags } from './tags/link-tags.store.ts';
import { resolveTags } from './tags/tag-names.ts';

export interface LinkRequest {
  /** Public id of the key or person that asks; null for the server itself. */
  actorId: string | null;
  body: LinkInput & { url: string; find_if_exists?: boolean };
  /** Of the password in the body, where there is one. */
  passwordHash?: string | null;
  /** Ids as the database has them. */
  messageId?: string | null;
  contactId?: string | null;
  /** For the audit log, where the entry is written with the link. */
  audit?: AuditOrigin | null;
}

export interface CreatedLink extends LinkWithVersion {
  /** False where `find_if_exists` found it. */
  isNew: boolean;
}

type Outcome = CreatedLink | Problem;

/** A link on its way into the tables. */
interface Plan {
  nth: number;
  request: LinkRequest;
  draft: LinkDraft;
  link: WrittenLink;
  hasOwnSlug: boolean;
}

/** How often slugs are made anew where those that were made are taken. */
const MAX_TRIES = 8;

async function planAll(
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
      const { body, passwordHash = null, messageId = null, contactId = null, actorId } = request;
      const draft = readLink(body, { ...NEW_LINK, url: body.url }, passwordHash, deps, now);
      const hasOwnSlug = draft.values.slug !== '';
      const link = { id: unit.newUuid(), values: draft.values, messageId, contactId, createdBy: actorId };
      plans.push({ nth, request, draft, link, hasOwnSlug });
    } catch (error) {
      outcomes[nth] = problemOf(error);
    }
  const refused = await validateDrafts(
    unit,
    workspaceId,
    plans.map(({ draft }) => draft),
  );
  return plans.filter(({ nth }, index) => {
    if (refused[index]) outcomes[nth] = refused[index];
    return !refused[index];
  });
}

/** Who wants to be found rather than made, by fingerprint (hex). */
const markOf = ({ request, link }: Plan): string | null =>
  request.body.find_if_exists && link.values.password_hash === null
    ? fingerprintOf(link.values, link).toString('hex')
    : null;

/** Takes out who is found, and whose external id another has. @returns the others; `same`: who gets what another gets */
async function withoutKnown(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  plans: Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<{ rest: Plan[]; same: { nth: number; as: number }[] }> {
  const marks = new Map(plans.flatMap((plan) => markOf(plan) ?? []).map((mark) => [mark, [] as Plan[]]));
  const externalIds = plans.flatMap(({ link }) => link.values.external_id ?? []);
  if (marks.size === 0 && externalIds.length === 0) return { rest: plans, same: [] };
  await lockNames(unit.db, workspaceId, [...marks.keys(), ...externalIds.map((id) => `by ${id}`)]);
  const known = new Set((await idsByExternalId(unit.db, workspaceId, externalIds)).keys());
  const found = await activeByFingerprint(unit.db, workspaceId, [...marks.keys()], unit.clock());
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
    const mark = markOf(plan);
    if (mark !== null) {
      const there = found.find(
        (one) =>
          one.fingerprint === mark &&
          (slug === '' || one.slug === slug) &&
          // A tag may have been renamed or deleted since, which the job that follows has not come to yet.
          sameTags(rows.get(one.id)!.tags, link.values.tags),
      );
      if (there) {
        const row = rows.get(there.id)!;
        outcomes[nth] = {
          link: presentLink(row, deps.baseUrl, unit.clock()),
          version: row.version,
          isNew: false,
        };
        return false;
      }
      const before = marks.get(mark)!.find((one) => one.link.values.slug === slug);
      if (before) {
        same.push({ nth, as: before.nth });
        return false;
      }
      marks.get(mark)!.push(plan);
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

/** Gives each its address; makes slugs where none was asked for. @returns those that have theirs */
async function withAddresses(
  unit: Unit,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<Plan[]> {
  const have = new Set<Plan>();
  let without = [...plans];
  const late: Plan[] = [];
  for (let tries = 0; without.length; tries += 1) {
    if (tries === MAX_TRIES) throw new Error('made slugs are taken, one after the other');
    for (const { hasOwnSlug, link } of without) if (!hasOwnSlug) link.values.slug = makeSlug();
    const taken = await takeAddresses(
      unit.db,
      without.map(({ link: { id, values } }) => ({
        domain: values.domain,
        slug: values.slug,
        workspace_id: workspaceId,
        link_id: id,
        route: routeOf(values),
      })),
    );
    for (const plan of without) {
      if (taken.has(plan.link.id)) have.add(plan);
      else if (plan.hasOwnSlug) late.push(plan);
    }
    without = without.filter((plan) => !have.has(plan) && !plan.hasOwnSlug);
  }
  if (late.length) {
    const problems = await slugTakenProblems(
      unit,
      late.map(({ link }) => link.values),
    );
    for (const [index, { nth }] of late.entries()) outcomes[nth] = problems[index]!;
  }
  return plans.filter((plan) => have.has(plan));
}

/** Tags by name, those that are missing made by who asks for them; names become those of the tags. */
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
    audit ? [{ ...audit, targetId: links[index]!.id }] : [],
  );
  await runBatch(unit.db, [
    ...insertsOf(
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
      links.map((link) => ({ workspaceId, type: 'link.created', resourceId: link.id, object: link })),
    ),
  ]);
  for (const [index, { nth }] of plans.entries())
    outcomes[nth] = { link: links[index]!, version: rows[index]!.version, isNew: true };
}

/**
 * Makes links of one workspace, each by itself.
 * @param unit a transaction that has locked nothing of links yet
 * @returns an outcome for each, in their order
 */
export async function createLinks(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  requests: readonly LinkRequest[],
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = requests.map(() => undefined);
  const planned = await planAll(unit, deps, workspaceId, requests, outcomes);
  const { rest, same } = await withoutKnown(unit, deps, workspaceId, planned, outcomes);
  const allowed = rest.length ? await deps.quotas.remaining(unit, workspaceId, 'links') : null;
  for (const { nth } of rest.slice(allowed?.count)) outcomes[nth] = allowed!.exceeded;
  const addressed = await withAddresses(unit, workspaceId, rest.slice(0, allowed?.count), outcomes);
  await write(unit, deps, workspaceId, addressed, outcomes);
  for (const { nth, as } of same) {
    const first = outcomes[as]!;
    outcomes[nth] = first instanceof Problem ? first : { ...first, isNew: false };
  }
  return outcomes.map((outcome) => outcome!);
}
