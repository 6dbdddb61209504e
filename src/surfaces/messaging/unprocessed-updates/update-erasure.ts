/**
 * Deletes unprocessed updates in which an erased contact occurs. Their content has the form of the channel, so numbers
 * are also found without a plus sign, and as numbers instead of texts.
 */
import { getLoosePatterns, getPersonalData, type ErasedPerson } from '../../../core/events/erasure/person.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { type JobTurn, walkInTurn } from '../../../platform/jobs/turn.ts';
import { deleteMentioning } from './unprocessed-update.store.ts';

const BATCH = 500;
const NUMBER = /^\+?(\d+)$/;

/** @returns the position at which the next turn continues; undefined when all are deleted */
export async function eraseUpdates(
  units: Units,
  person: Pick<ErasedPerson, 'workspaceId' | 'contactIds' | 'chatIds' | 'identities'>,
  turn: JobTurn,
): Promise<string | undefined> {
  const likes = getLoosePatterns(getPersonalData(person));
  const addresses = [...new Set(person.identities.map(({ address }) => address))];
  const numbers = addresses.flatMap((address) => NUMBER.exec(address)?.[1] ?? []);
  const expressions = numbers.map((digits) => `(^|[^0-9])${digits}($|[^0-9])`);
  return walkInTurn(turn, '', async () => {
    const count = await units.write(({ db }) =>
      deleteMentioning(db, person.workspaceId, { likes, expressions }, BATCH),
    );
    return count < BATCH ? undefined : '';
  });
}
