/** Problems of single links. */
import { Problem } from '../../../platform/http/problem.ts';

export const externalIdTaken = (): Problem =>
  new Problem('conflict', 'Another link has this external_id. Use `PUT /links/upsert` to update it.', {
    errors: [{ pointer: '/external_id', code: 'conflict', detail: 'is already used by another link' }],
  });
