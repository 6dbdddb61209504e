/** What a key created, and what to do about it once the key is revoked. */
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createdObjectsQuery } from '../../api/created-objects.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { CreatedObjects } from '../created-objects/CreatedObjects.tsx';

interface KeyCreationsProps {
  apiKey: ApiKey;
  /** Absent where the reader may not write. */
  onDisable?: () => void;
}

export function KeyCreations({ apiKey, onDisable }: KeyCreationsProps) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery(createdObjectsQuery(workspace.id, apiKey.id));
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={60} role="status" aria-label="Loading created objects" />;
  if (data.data.length === 0)
    return <Text c="dimmed">It created nothing that takes in or calls out on its own.</Text>;
  const goesOn = apiKey.state === 'revoked' && data.data.some(({ enabled }) => enabled);
  return (
    <Stack gap="xs" align="flex-start">
      <CreatedObjects objects={data.data} />
      {data.has_more && (
        <Text size="xs" c="dimmed">
          The newest {data.data.length}. The API lists all.
        </Text>
      )}
      {goesOn && onDisable && (
        <Button size="xs" variant="light" color="red" onClick={onDisable}>
          Disable what it created
        </Button>
      )}
    </Stack>
  );
}
