import { useQuery } from '@tanstack/react-query';
import { apiKeyNameQuery } from '../../api/api-keys.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { Id } from '../../design/Id.tsx';

/** The name of the key that a budget applies to. @param keyId null for the workspace */
export function BudgetScope({ keyId }: { keyId: string | null }) {
  const { workspace } = useWorkspace();
  const readsKeys = useCan('api_keys:read');
  const { data: name } = useQuery({
    ...apiKeyNameQuery(workspace.id, keyId ?? ''),
    enabled: keyId !== null && readsKeys,
  });
  if (keyId === null) return t('Workspace');
  return name ?? <Id id={keyId} short />;
}
