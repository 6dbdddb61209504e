/** Erases a contact from rule runs. Must be called after the event log was processed; idempotent. */
import type { Units } from '../../../core/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { type ErasedPerson, getPatterns, getPersonalData } from '../../../core/events/erasure/person.ts';
import { emptyRuns, endOfPage } from './run-erasure.store.ts';

const PAGE = 2_000;

/**
 * Erases the contact.
 * @throws when `signal` aborts
 */
export async function eraseRunsFor(units: Units, person: ErasedPerson, signal?: AbortSignal): Promise<void> {
  const { db } = units.read;
  const patterns = getPatterns(getPersonalData(person));
  for (let after = FIRST_UUID; ;) {
    signal?.throwIfAborted();
    const through = await endOfPage(db, person.workspaceId, after, PAGE);
    if (through === null) return;
    await emptyRuns(db, person, { after, through }, patterns);
    after = through;
  }
}
