/** Shows what the creator that is about to end created and is in use, and asks whether to disable it. */
import { Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createdObjectsQuery } from '../../api/created-objects.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { CreatedObjects } from './CreatedObjects.tsx';

interface DisableCreatedProps {
  /** ID of an API key or a member. */
  creator: string;
  /** Stands for the creator at the beginning of a sentence. */
  who: 'It' | 'They' | 'You';
  value: boolean;
  /** Absent where there is no choice. */
  onChange?: (value: boolean) => void;
}

export function DisableCreated({ creator, who, value, onChange }: DisableCreatedProps) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery(createdObjectsQuery(workspace.id, creator, true));
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={60} role="status" aria-label="Loading created objects" />;
  const count = data.data.length;
  if (count === 0) return <Text c="dimmed">{who} created nothing that is in use.</Text>;
  return (
    <Stack gap="xs">
      <Text>
        {who} created {data.has_more ? `more than ${count}` : count}{' '}
        {count === 1 ? 'object that is' : 'objects that are'} in use:
      </Text>
      <CreatedObjects objects={data.data} />
      {onChange && (
        <Checkbox
          mt={4}
          label="Disable all of them"
          description="API keys are revoked, instances disconnected. Otherwise all of them stay: they belong to the workspace."
          checked={value}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
