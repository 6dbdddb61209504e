/**
 * Updates one or many short links: row, address, budget, tags and event, in the caller's transaction. An update that
 * changes nothing writes nothing and emits no event.
 *
 * Lock order: names (external IDs), the links' rows by ascending ID, domains, addresses, tags.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { asProblem, Problem } from '../../../platform/http/problem.ts';
import { takeAddresses } from '../addresses/link-address.system-store.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { computeFingerprint } from '../records/link-fingerprint.ts';
import { type LinkDraft, type LinkInput, readLink, validateDrafts } from '../creation/link-input.ts';
import { idsByExternalId, lockNames } from '../creation/link-lookup.store.ts';
import { presentLink } from '../records/link-present.ts';
import { externalIdTaken } from '../creation/link-problems.ts';
import { buildRoute } from '../creation/link-route.ts';
import { lockLinks, type LinkRow } from '../records/link.store.ts';
import type { LinkObject } from '../records/link.schema.ts';
import { type LinkValues, toLinkValues } from '../records/link-values.ts';
import { freeAddresses, setBudgets, updateLinks } from '../creation/link-write.store.ts';
import { appendRouteChanges } from '../redirect/route-change.store.ts';
import { slugTakenProblems } from '../addresses/slug-taken.ts';
import { setLinkTags } from '../tags/link-tags.store.ts';
import { resolveTags } from '../tags/tag-names.ts';

export interface LinkChange {
  id: string;
  /** Builds the requested change from the current row. @throws Problem */
  body: (row: LinkRow) => LinkInput;
  /** Hash of the password in the body, if there is one. */
  passwordHash?: string | null;
  ifMatch?: IfMatch;
}

export interface Changer {
  /** Public ID of the API key or user; null for the server itself. */
  actorId: string | null;
}

type Outcome = WithVersion<{ link: LinkObject }> | Problem;

interface Plan {
  nth: number;
  row: LinkRow;
  draft: LinkDraft;
}

const madeFor = (row: LinkRow) => ({ messageId: row.message_id, contactId: row.contact_id });

/** Builds the row after the update. */
const changedRow = (row: LinkRow, values: LinkValues, used: number, now: Date): LinkRow => ({
  ...row,
  ...values,
  targeting: values.targeting as unknown as LinkRow['targeting'],
  utm: values.utm,
  fingerprint: computeFingerprint(values, madeFor(row)),
  used,
  version: row.version + 1,
  updated_at: now,
});

function read(
  deps: LinkDeps,
  changes: readonly LinkChange[],
  rows: ReadonlyMap<string, LinkRow>,
  now: Date,
  outcomes: (Outcome | undefined)[],
): Plan[] {
  return changes.flatMap(({ id, body, passwordHash = null, ifMatch = null }, nth): Plan[] => {
    try {
      const row = rows.get(id);
      if (!row) throw new Problem('not_found', 'There is no such link in this workspace.');
      assertMatches(ifMatch, row, 'link');
      return [{ nth, row, draft: readLink(body(row), toLinkValues(row), passwordHash, deps, now) }];
    } catch (error) {
      outcomes[nth] = asProblem(error);
      return [];
    }
  });
}

/** Moves links to their new addresses. Links whose new address is taken are rejected and stay unchanged. */
async function move(
  unit: Unit,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<Plan[]> {
  const moved = plans.filter(
    ({ row, draft: { values } }) => values.slug !== row.slug || values.domain !== row.domain,
  );
  if (!moved.length) return [...plans];
  const reserved = await takeAddresses(
    unit.db,
    moved.map(({ row, draft: { values } }) => ({
      domain: values.domain,
      slug: values.slug,
      workspace_id: workspaceId,
      link_id: row.id,
      route: buildRoute(values),
    })),
  );
  const conflicting = moved.filter(({ row }) => !reserved.has(row.id));
  const problems = await slugTakenProblems(
    unit,
    conflicting.map(({ draft }) => draft.values),
  );
  for (const [index, { nth }] of conflicting.entries()) outcomes[nth] = problems[index]!;
  const left = moved.filter(({ row }) => reserved.has(row.id)).map(({ row }) => row);
  await freeAddresses(unit.db, workspaceId, left);
  await appendRouteChanges(
    unit.db,
    workspaceId,
    left.map(({ domain, slug }) => ({ domain, slug })),
  );
  return plans.filter((plan) => !conflicting.includes(plan));
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, nth) => name.toLowerCase() === b[nth]!.toLowerCase());

async function retag(
  unit: Unit,
  workspaceId: string,
  plans: readonly Plan[],
  { actorId }: Changer,
): Promise<void> {
  const retagged = plans.filter(({ row, draft }) => !sameNames(row.tags, draft.values.tags));
  for (const { row, draft } of plans)
    if (sameNames(row.tags, draft.values.tags)) draft.values.tags = row.tags;
  if (!retagged.length) return;
  const names = [...new Set(retagged.flatMap(({ draft }) => draft.values.tags))];
  const byName = await resolveTags(unit, workspaceId, names, actorId);
  await setLinkTags(
    unit.db,
    workspaceId,
    retagged.map(({ row, draft: { values } }) => ({
      linkId: row.id,
      tagIds: values.tags.map((name) => byName.get(name)!.id),
    })),
  );
  for (const { draft } of retagged)
    draft.values.tags = draft.values.tags.map((name) => byName.get(name)!.name).toSorted();
}

/** Returns whether an update changes the link's representation or its password. */
const differs = (row: LinkRow, values: LinkValues, deps: LinkDeps, now: Date): boolean => {
  const after = presentLink(changedRow(row, values, row.used, row.updated_at), deps.baseUrl, now);
  return (
    values.password_hash !== row.password_hash ||
    Object.keys(changedFields(presentLink(row, deps.baseUrl, now), after)).length > 0
  );
};

async function write(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
  now: Date,
): Promise<void> {
  const capped = plans.filter(({ row, draft }) => row.max_clicks !== draft.values.max_clicks);
  const used = await setBudgets(
    unit.db,
    workspaceId,
    capped.map(({ row, draft }) => ({ linkId: row.id, max: draft.values.max_clicks, clicks: row.clicks })),
  );
  const rows = plans.map(({ row, draft: { values } }) =>
    changedRow(row, values, values.max_clicks === null ? 0 : (used.get(row.id) ?? row.used), now),
  );
  await updateLinks(
    unit.db,
    workspaceId,
    rows,
    plans.map(({ draft }) => draft.values),
  );
  await appendRouteChanges(
    unit.db,
    workspaceId,
    rows.map(({ domain, slug }) => ({ domain, slug })),
  );
  const links = rows.map((row) => presentLink(row, deps.baseUrl, now));
  await unit.events.writeAll(
    unit,
    plans.map(({ row }, index) => ({
      workspaceId,
      type: 'link.updated',
      resourceId: links[index]!.id,
      object: links[index]!,
      previous: changedFields(presentLink(row, deps.baseUrl, now), links[index]!) as Partial<LinkObject>,
    })),
  );
  for (const [index, { nth }] of plans.entries())
    outcomes[nth] = { link: links[index]!, version: rows[index]!.version };
}

/** Rejects links whose new external ID belongs to another link. The external IDs must be locked. */
async function withFreeExternalIds(
  unit: Unit,
  workspaceId: string,
  plans: readonly Plan[],
  outcomes: (Outcome | undefined)[],
): Promise<Plan[]> {
  const renamed = plans.filter(
    ({ row, draft: { values } }) => values.external_id !== null && values.external_id !== row.external_id,
  );
  if (!renamed.length) return [...plans];
  const owners = await idsByExternalId(
    unit.db,
    workspaceId,
    renamed.map(({ draft }) => draft.values.external_id!),
  );
  const rejected = renamed.filter(({ draft }) => owners.has(draft.values.external_id!));
  for (const { nth } of rejected) outcomes[nth] = externalIdTaken();
  return plans.filter((plan) => !rejected.includes(plan));
}

/**
 * Updates links of one workspace, independently of each other.
 * @param changes at most one per link
 * @param externalIds all external IDs that the changes set; they are locked first
 * @returns an outcome for each change, in the same order
 */
export async function changeLinks(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  changer: Changer,
  changes: readonly LinkChange[],
  externalIds: readonly string[] = [],
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = changes.map(() => undefined);
  const now = unit.clock();
  await lockNames(
    unit.db,
    workspaceId,
    externalIds.map((id) => `by ${id}`),
  );
  const locked = await lockLinks(
    unit.db,
    workspaceId,
    changes.map(({ id }) => id),
  );
  const rows = new Map(locked.map((row) => [row.id, row]));
  const drafted = read(deps, changes, rows, now, outcomes);
  const rejected = await validateDrafts(
    unit,
    workspaceId,
    drafted.map(({ draft }) => draft),
  );
  for (const [index, { nth }] of drafted.entries()) if (rejected[index]) outcomes[nth] = rejected[index];
  const allowed = await withFreeExternalIds(
    unit,
    workspaceId,
    drafted.filter((_, index) => !rejected[index]),
    outcomes,
  );
  const changing = allowed.filter(({ row, draft }) => differs(row, draft.values, deps, now));
  for (const { nth, row } of allowed)
    outcomes[nth] = { link: presentLink(row, deps.baseUrl, now), version: row.version, unchanged: true };
  const placed = await move(unit, workspaceId, changing, outcomes);
  await retag(unit, workspaceId, placed, changer);
  // A tag that differs only in case resolves to the existing tag, so a change may turn out to be none.
  const written = placed.filter(({ row, draft }) => differs(row, draft.values, deps, now));
  if (written.length) await write(unit, deps, workspaceId, written, outcomes, now);
  return outcomes.map((outcome) => outcome!);
}
