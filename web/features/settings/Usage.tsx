/** How much of its quotas the workspace uses, and its model calls of this month. */
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/workspaces.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { sizeWord } from '../../design/size-text.ts';
import { Section } from './Section.tsx';

const NAMES: Record<string, string> = {
  api_keys: t('API keys'),
  invitations: t('Pending invitations'),
  media_bytes: t('Size of media'),
};

const getName = (resource: string): string =>
  NAMES[resource] ?? resource.charAt(0).toUpperCase() + resource.slice(1).replaceAll('_', ' ');

/** A number of the resource, or its size. */
const formatAmount = (resource: string, amount: number): string =>
  resource.endsWith('_bytes') ? sizeWord(amount) : formatNumber(amount);

export function Usage() {
  const { workspace } = useWorkspace();
  const { data, error, refetch } = useQuery(usageQuery(workspace.id));
  if (error) return <FailedList error={error} retry={() => void refetch()} />;
  if (!data) return <LoadingList />;
  const calls = data.models.reduce((sum, { requests }) => sum + requests, 0);
  const tokens = data.models.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
  return (
    <Section title={t('Usage')} description={t('What this workspace contains, and its limits.')}>
      <DescriptionList
        rows={[
          ...data.resources.map(({ resource, used, limit }): [string, string] => [
            getName(resource),
            limit === null
              ? t('{used} of unlimited', { used: formatAmount(resource, used) })
              : t('{used} of {limit}', {
                  used: formatAmount(resource, used),
                  limit: formatAmount(resource, limit),
                }),
          ]),
          [
            t('Model calls this month'),
            t('{calls} ({tokens} tokens)', { calls: formatNumber(calls), tokens: formatNumber(tokens) }),
          ],
        ]}
      />
    </Section>
  );
}
