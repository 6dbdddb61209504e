/** Erases a contact from rule runs. Must be called after the event log was processed; idempotent. */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { type ErasedPerson, getPatterns, getPersonalData } from '../../../core/events/erasure/person.ts';
import { type JobTurn, type Step, walkInTurn } from '../../../platform/jobs/turn.ts';
import { emptyRuns, endOfPage } from './run-erasure.store.ts';

const PAGE = 2_000;

/** Erases the contact. */
export function eraseRunsFor(units: Units, person: ErasedPerson, turn: JobTurn): Step {
  const { db } = units.read;
  const patterns = getPatterns(getPersonalData(person));
  const eraseWindow = async (after: string): Promise<string | undefined> => {
    const through = await endOfPage(db, person.workspaceId, after, PAGE);
    if (through === null) return undefined;
    await emptyRuns(db, person, { after, through }, patterns);
    return through;
  };
  return { name: 'runs', perform: (position) => walkInTurn(turn, position || FIRST_UUID, eraseWindow) };
}
