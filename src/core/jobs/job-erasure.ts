/** Removes an erased contact from jobs. */
import type { Units } from '../unit/unit-of-work.ts';
import { type ErasedPerson, getPatterns, getPersonalData } from '../events/erasure/person.ts';
import { redactAnswer } from '../events/erasure/redact.ts';
import * as store from './job-erasure.store.ts';

/** May be run again. */
export async function eraseJobsFor(units: Units, person: ErasedPerson): Promise<void> {
  const { db } = units.read;
  const { workspaceId, contactIds, erasedAt } = person;
  const traces = getPersonalData(person);
  for (const { id, result } of await store.resultsWith(db, workspaceId, erasedAt, getPatterns(traces))) {
    const left = result && redactAnswer(result, traces);
    if (left) await store.replaceResult(db, workspaceId, id, left);
  }
  await store.deleteOverFor(db, workspaceId, contactIds);
}
