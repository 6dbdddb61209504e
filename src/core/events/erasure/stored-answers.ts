/** Redacts stored responses that contain an erased contact: a repeated call receives only the ID. */
import type { Units } from '../../unit/unit-of-work.ts';
import * as store from './stored-answers.store.ts';
import { type ErasedPerson, getPatterns, getPersonalData } from './person.ts';
import { redactAnswer } from './redact.ts';

/** May be run again. */
export async function eraseStoredAnswersFor(units: Units, person: ErasedPerson): Promise<void> {
  const { db } = units.read;
  const { workspaceId } = person;
  const traces = getPersonalData(person);
  await store.deleteAnswersAbout(db, workspaceId, [...traces.ids]);
  for (const answer of await store.answersWith(db, workspaceId, getPatterns(traces))) {
    const body = answer.body && redactAnswer(answer.body, traces);
    if (body) await store.replaceAnswer(db, workspaceId, answer, body);
  }
}
