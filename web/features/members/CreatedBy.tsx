/** Who created an object: the name of a member or API key, or the ID if it is gone or may not be read. */
import { useQuery } from '@tanstack/react-query';
import { apiKeyNameQuery } from '../../api/api-keys.ts';
import { memberNameQuery } from '../../api/members.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { Id } from '../../design/Id.tsx';

const NAMES = {
  key: { scope: 'api_keys:read', query: apiKeyNameQuery },
  usr: { scope: 'members:read', query: memberNameQuery },
} as const;

export function CreatedBy({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const kind = id.startsWith('key_') ? 'key' : 'usr';
  const { scope, query } = NAMES[kind];
  const reads = useCan(scope);
  const { data: name } = useQuery({
    ...query(workspace.id, id),
    enabled: reads && id.startsWith(kind),
    retry: false,
  });
  return name === undefined ? <Id id={id} short /> : <span title={id}>{name}</span>;
}
