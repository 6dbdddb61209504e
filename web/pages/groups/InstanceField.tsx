/** Which account does it: of those on channels that have groups, the ones that are connected. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { instancesQuery } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { LoadingList } from '../../ui/ListStates.tsx';
import { canGroups } from './group-text.ts';

interface InstanceFieldProps {
  label: string;
  instances: readonly Instance[];
  value: string;
  onChange: (id: string) => void;
  error: string | undefined;
}

export function InstanceField({ label, instances, value, onChange, error }: InstanceFieldProps) {
  return (
    <NativeSelect
      label={label}
      data={instances.map(({ id, name, address }) => ({
        value: id,
        label: address === null || address === name ? name : `${name} (${address})`,
      }))}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
    />
  );
}

interface WithInstancesProps {
  children: (instances: readonly [Instance, ...Instance[]]) => React.ReactNode;
}

/** Renders what is in it once it is known that there is such an account. */
export function WithInstances({ children }: WithInstancesProps) {
  const { workspace } = useWorkspace();
  const { data } = useInfiniteQuery(instancesQuery(workspace.id));
  if (!data) return <LoadingList label="Loading channels" />;
  const [first, ...others] = data.filter((one) => canGroups(one) && one.state === 'connected');
  if (first) return children([first, ...others]);
  const isOff = data.some(canGroups);
  return (
    <Stack align="start">
      <Text>
        {isOff
          ? 'No account on a channel with groups is connected now.'
          : 'There is no account yet on a channel that has groups. The sandbox has them, and needs no account anywhere.'}
      </Text>
      <ButtonLink
        to="/w/$workspace/channels"
        params={{ workspace: workspace.slug }}
        search={isOff ? {} : { create: true }}
      >
        {isOff ? 'Look at the channels' : 'Connect a channel'}
      </ButtonLink>
    </Stack>
  );
}
