/** Selects an instance by name; each option shows its state, and so does the selected one unless it is connected. */
import { Group, Text } from '@mantine/core';
import { type QueryFunctionContext, useQueryClient } from '@tanstack/react-query';
import {
  findInstances,
  instanceQuery,
  instancesKey,
  takesMessages,
  type Operation,
} from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { StateDot } from '../../design/StateDot.tsx';
import { LookupSelect, type LookupSelectProps } from '../../patterns/form/LookupSelect.tsx';
import { stateLabel, stateTone } from './instance-text.ts';

interface InstanceSelectProps extends Omit<
  LookupSelectProps,
  'options' | 'labelFor' | 'missing' | 'renderOption'
> {
  /** Offers only instances whose channel supports this. */
  operation?: Operation;
  /** Offers only connected instances. */
  connected?: boolean;
}

const getLabel = (instance: Instance): string =>
  takesMessages(instance)
    ? instance.name
    : t('{name} ({state})', { name: instance.name, state: stateLabel(instance.state) });

export function InstanceSelect({ operation, connected, ...field }: InstanceSelectProps) {
  const { workspace } = useWorkspace();
  const cached = useQueryClient();
  const wanted = { ...(operation && { operation }), ...(connected && { connected }) };
  return (
    <LookupSelect
      placeholder={t('Select an instance')}
      {...field}
      missing={t('Deleted instance')}
      renderOption={({ option: { value, label } }) => {
        const instance = cached.getQueryData(instanceQuery(workspace.id, value).queryKey);
        if (!instance) return label;
        return (
          <Group justify="space-between" wrap="nowrap" gap="sm" flex={1}>
            <Text inherit style={{ overflowWrap: 'anywhere' }}>
              {instance.name}
            </Text>
            <StateDot tone={stateTone(instance.state)}>{stateLabel(instance.state)}</StateDot>
          </Group>
        );
      }}
      options={(search) => ({
        queryKey: [...instancesKey(workspace.id), 'select', wanted, search],
        queryFn: async ({ client, signal }: QueryFunctionContext) => {
          const found = await findInstances(workspace.id, { ...wanted, search }, signal);
          for (const one of found) client.setQueryData(instanceQuery(workspace.id, one.id).queryKey, one);
          return found.map((one) => ({ value: one.id, label: getLabel(one) }));
        },
      })}
      labelFor={(id) => ({
        queryKey: [...instancesKey(workspace.id), 'select-name', id],
        queryFn: async ({ client }: QueryFunctionContext) =>
          getLabel(await client.ensureQueryData(instanceQuery(workspace.id, id))),
      })}
    />
  );
}
