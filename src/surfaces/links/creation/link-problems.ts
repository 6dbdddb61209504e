/** Problems of single links in a batch, returned as outcomes so that the other links proceed. */
import { Problem } from '../../../platform/http/problem.ts';

/** Returns a Problem as an outcome. @throws any other error */
export const toProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  throw error;
};

export const externalIdTaken = (): Problem =>
  new Problem('conflict', 'Another link has this external_id. Use `PUT /links/upsert` to update it.', {
    errors: [{ pointer: '/external_id', code: 'conflict', detail: 'is already used by another link' }],
  });
