/**
 * Shows the name of an object that another one refers to, such as its creator, or the ID if it is gone or may not be
 * read.
 */
import { useQuery } from '@tanstack/react-query';
import { apiKeyNameQuery } from '../api/api-keys.ts';
import { instanceNameQuery } from '../api/instances.ts';
import { memberNameQuery } from '../api/members.ts';
import { endpointNameQuery } from '../api/publishing.ts';
import { ruleNameQuery } from '../api/rules.ts';
import { useCan, useWorkspace } from '../api/workspace-context.ts';
import { Id } from '../design/Id.tsx';

const NAMES = {
  key: { scope: 'api_keys:read', query: apiKeyNameQuery },
  usr: { scope: 'members:read', query: memberNameQuery },
  pep: { scope: 'publishing:read', query: endpointNameQuery },
  rul: { scope: 'rules:read', query: ruleNameQuery },
  ins: { scope: 'instances:read', query: instanceNameQuery },
} as const;

export function ObjectName({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const prefix = id.slice(0, id.indexOf('_'));
  const isKnown = prefix in NAMES;
  const { scope, query } = NAMES[isKnown ? (prefix as keyof typeof NAMES) : 'usr'];
  const reads = useCan(scope);
  const { data: name } = useQuery({
    ...query(workspace.id, id),
    enabled: reads && isKnown,
    retry: false,
  });
  return name === undefined ? <Id id={id} short /> : <span title={id}>{name}</span>;
}
