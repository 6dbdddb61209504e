import { firstInstancesQuery, instanceQuery } from '../../api/instances.ts';
import { useRecordsOf } from '../../api/records-of.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';

/** Returns the names of instances by ID, as far as they are loaded and the user may read them. */
export function useInstanceNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { workspace } = useWorkspace();
  const instances = useRecordsOf(ids, {
    first: firstInstancesQuery(workspace.id),
    one: (id) => instanceQuery(workspace.id, id),
    enabled: useCan('instances:read'),
  });
  return new Map([...instances].map(([id, { name }]) => [id, name]));
}
