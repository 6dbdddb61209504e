/**
 * Verifies domains. The DNS lookup runs outside of transactions, because it waits for the network. Its result is then
 * applied in a transaction, to the current row.
 *
 *   pending ── record found ──▶ verified (permanently, even if the record is removed)
 *      │  └─── host verified by another workspace, whatever is found ──▶ failed ── verify ──▶ pending for seven days
 *      └────── seven days ──▶ failed
 */
import type { Unit, ReadUnit, Units } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { appendRouteChanges } from '../redirect/route-change.store.ts';
import { nextCheck } from './domain-schedule.ts';
import type { DomainError, DomainObject } from './domain.schema.ts';
import { getDomain } from './domain.service.ts';
import * as store from './domain.store.ts';
import { claimDueDomains, type DueDomain, isHostVerified, takeHost } from './hostname.system-store.ts';
import { checkTxt, findTxt, type FoundTxt, type ResolveTxt } from './txt-record.ts';

/** Looks up the record of a domain. @throws Problem not_found */
export async function lookUpDomain(
  unit: ReadUnit,
  resolve: ResolveTxt,
  workspaceId: string,
  id: string,
): Promise<FoundTxt> {
  const row = await store.getDomain(unit.db, workspaceId, id);
  if (!row) throw notFound('domain');
  return findTxt(resolve, row.host);
}

const hostTaken = (host: string): DomainError => ({
  code: 'host_taken',
  detail: `${host} is verified by another workspace on this server, which has to delete the domain first.`,
});

/** Determines the new state of a domain that is not verified. */
async function determineChange(
  unit: Unit,
  row: store.DomainRow,
  error: DomainError | null,
  now: Date,
): Promise<store.DomainChange> {
  if (error === null && (await takeHost(unit.db, row.workspace_id, row.id, row.host))) {
    await appendRouteChanges(unit.db, row.workspace_id, [{ domain: row.host, slug: null }]);
    return { state: 'verified', verified_at: now, check_at: null };
  }
  if (error === null || (await isHostVerified(unit.db, row.host)))
    return { state: 'failed', check_at: null, last_error: hostTaken(row.host) };
  const since = row.state === 'failed' ? now : row.pending_since;
  const next = nextCheck(since, now);
  return next === null
    ? { state: 'failed', check_at: null }
    : { state: 'pending', pending_since: since, check_at: next };
}

/**
 * Applies the result of a lookup. A verified domain stays verified; only the result is recorded.
 * @throws Problem not_found
 */
export async function applyLookup(
  unit: Unit,
  workspaceId: string,
  id: string,
  found: FoundTxt,
): Promise<WithVersion<{ domain: DomainObject }>> {
  const row = await store.lockDomain(unit.db, workspaceId, id, 'change');
  if (!row) throw notFound('domain');
  const now = unit.clock();
  const error = checkTxt(found, row.host, row.token);
  const change = row.state === 'verified' ? {} : await determineChange(unit, row, error, now);
  const stateChanged = change.state !== undefined && change.state !== row.state;
  await store.updateDomain(unit.db, workspaceId, id, {
    checked_at: now,
    last_error: error,
    ...change,
    ...(stateChanged ? { updated_at: now } : {}),
  });
  const after = await getDomain(unit, workspaceId, id);
  if (stateChanged && change.state !== 'pending')
    await unit.events.write(unit, {
      workspaceId,
      type: change.state === 'verified' ? 'domain.verified' : 'domain.failed',
      resourceId: publicId('domain', id),
      object: after.domain,
    });
  return after;
}

/** Concurrent lookups per process: slow zones don't block others unless this many are slow. */
const MAX_CONCURRENT = 20;
/** Domains claimed by a process that died are claimed again after this time. */
const LEASE_SECONDS = 300;

async function checkOne(units: Units, resolve: ResolveTxt, due: DueDomain): Promise<void> {
  const found = await findTxt(resolve, due.host);
  await units.write(async (unit) => {
    const row = await store.lockDomain(unit.db, due.workspace_id, due.id, 'change');
    // It may have been deleted or verified manually in the meantime.
    if (row?.state === 'pending') await applyLookup(unit, due.workspace_id, due.id, found);
  });
}

/** Checks domains until none is due or `signal` aborts. */
export async function checkDueDomains(
  units: Units,
  resolve: ResolveTxt,
  now: () => Date,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const due = await claimDueDomains(units.read.db, now(), MAX_CONCURRENT, LEASE_SECONDS);
    if (!due.length) return;
    const outcomes = await Promise.allSettled(due.map((one) => checkOne(units, resolve, one)));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
