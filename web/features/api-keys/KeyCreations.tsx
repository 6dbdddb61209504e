/** Lists the objects that a key created, with a button to disable them once the key is revoked. */
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { createdObjectsQuery } from '../../api/created-objects.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { CreatedObjects } from '../created-objects/CreatedObjects.tsx';

interface KeyCreationsProps {
  apiKey: ApiKey;
  /** Absent if the user can't edit API keys. */
  onDisable?: () => void;
}

export function KeyCreations({ apiKey, onDisable }: KeyCreationsProps) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery(createdObjectsQuery(workspace.id, apiKey.id));
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={60} role="status" aria-label={t('Loading created objects')} />;
  if (data.data.length === 0)
    return <Text c="dimmed">{t("This key hasn't created any objects that keep running without it.")}</Text>;
  const isActive = apiKey.state === 'revoked' && data.data.some(({ enabled }) => enabled);
  return (
    <Stack gap="xs" align="flex-start">
      <CreatedObjects objects={data.data} />
      {data.has_more && (
        <Text size="xs" c="dimmed">
          {t('Showing the newest {count}. Use the API to list all of them.', { count: data.data.length })}
        </Text>
      )}
      {isActive && onDisable && (
        <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={onDisable}>
          {t('Disable created objects')}
        </Button>
      )}
    </Stack>
  );
}
