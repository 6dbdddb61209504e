/** What one link of several is refused by, so that the others go on. */
import { Problem } from '../../platform/http/problem.ts';

/** @throws what is no problem of the link's */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  throw error;
};

export const externalIdTaken = (): Problem =>
  new Problem('conflict', 'Another link has this external_id. `PUT /links/upsert` changes that one.', {
    errors: [{ pointer: '/external_id', code: 'conflict', detail: 'is that of another link' }],
  });
