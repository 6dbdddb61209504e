/** How many of what is to be made together a quota has room for. */
import { Problem } from '../../platform/http/problem.ts';

export interface Room {
  /** How many fit. */
  most: number;
  /** Why no more than that; null where all fit. */
  problem: Problem | null;
}

/** @param assertRoom throws a Problem where there is no room for as many more */
export async function remainingQuota(
  assertRoom: (more: number) => Promise<void>,
  wanted: number,
): Promise<Room> {
  const problemOf = async (count: number): Promise<Problem | null> => {
    try {
      await assertRoom(count);
      return null;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  };
  if (wanted === 0) return { most: 0, problem: null };
  let problem = await problemOf(wanted);
  if (!problem) return { most: wanted, problem };
  let fitting = 0;
  let tooMany = wanted;
  // That there is no room at all is found first: a workspace that is full asks twice, not ten times.
  let tried = 1;
  while (fitting + 1 < tooMany) {
    const refused = await problemOf(tried);
    if (refused) [tooMany, problem] = [tried, refused];
    else fitting = tried;
    tried = (fitting + tooMany) >> 1;
  }
  return { most: fitting, problem };
}
