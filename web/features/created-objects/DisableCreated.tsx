/** Lists the active objects of a key or member that is being removed, and asks whether to disable them. */
import { Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber, plural, t } from '../../copy/text.ts';
import { createdObjectsQuery } from '../../api/created-objects.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { CreatedObjects } from './CreatedObjects.tsx';

const COUNTS = {
  key: (count: number) =>
    plural(count, {
      one: 'This key created {count} object that is still active:',
      other: 'This key created {count} objects that are still active:',
    }),
  member: (count: number) =>
    plural(count, {
      one: 'This member created {count} object that is still active:',
      other: 'This member created {count} objects that are still active:',
    }),
  you: (count: number) =>
    plural(count, {
      one: 'You created {count} object that is still active:',
      other: 'You created {count} objects that are still active:',
    }),
};

interface DisableCreatedProps {
  /** ID of an API key or a member. */
  creator: string;
  kind: keyof typeof COUNTS;
  value: boolean;
  /** Absent if the user has no choice. */
  onChange?: (value: boolean) => void;
}

export function DisableCreated({ creator, kind, value, onChange }: DisableCreatedProps) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery(createdObjectsQuery(workspace.id, creator, true));
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={60} role="status" aria-label={t('Loading created objects')} />;
  const count = data.data.length;
  if (count === 0) return <Text c="dimmed">{t('No active objects to disable.')}</Text>;
  return (
    <Stack gap="xs">
      <Text>
        {data.has_more
          ? t('More than {count} created objects are still active. The newest:', {
              count: formatNumber(count),
            })
          : COUNTS[kind](count)}
      </Text>
      <CreatedObjects objects={data.data} />
      {onChange && (
        <Checkbox
          mt={4}
          label={t('Disable these objects')}
          description={t(
            'API keys are revoked and instances disconnected. Otherwise everything keeps running.',
          )}
          checked={value}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
