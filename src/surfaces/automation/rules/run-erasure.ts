/** What runs of rules keep of a contact that is erased. To be called once the log was walked; may be run again. */
import type { Units } from '../../../core/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { type ErasedPerson, patternsOf, getPersonalData } from '../../../core/events/erasure/person.ts';
import { emptyRuns, endOfPage } from './run-erasure.store.ts';

const PAGE = 2_000;

/** @throws where `signal` ends it early */
export async function eraseRunsFor(units: Units, person: ErasedPerson, signal?: AbortSignal): Promise<void> {
  const { db } = units.read;
  const patterns = patternsOf(getPersonalData(person));
  for (let after = FIRST_UUID; ;) {
    signal?.throwIfAborted();
    const through = await endOfPage(db, person.workspaceId, after, PAGE);
    if (through === null) return;
    await emptyRuns(db, person, { after, through }, patterns);
    after = through;
  }
}
