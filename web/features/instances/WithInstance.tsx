/** Renders content that needs a connected instance on a channel that supports an operation. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { ableInstancesQuery, type Operation } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';

interface WithInstanceProps {
  operation: Operation;
  /** Shown if instances support the operation, but none is connected. */
  disconnected: string;
  /** Shown if no instance supports the operation. */
  none: string;
  /** Gets the first one. */
  children: (instance: Instance) => React.ReactNode;
}

/** Renders its children once there is a connected instance that supports the operation. */
export function WithInstance({ operation, disconnected, none, children }: WithInstanceProps) {
  const { workspace } = useWorkspace();
  const connected = useQuery(ableInstancesQuery(workspace.id, { operation, connected: true }));
  const first = connected.data?.[0];
  const any = useQuery({
    ...ableInstancesQuery(workspace.id, { operation }),
    enabled: connected.data?.length === 0,
  });
  const error = connected.error ?? any.error;
  if (first) return children(first);
  if (error) return <FailedList error={error} retry={() => void connected.refetch()} />;
  if (!any.data) return <LoadingList label={t('Loading instances')} />;
  const isDisconnected = any.data.length > 0;
  return (
    <Stack align="start">
      <Text>{isDisconnected ? disconnected : none}</Text>
      <ButtonLink
        to="/w/$workspace/instances"
        params={{ workspace: workspace.slug }}
        search={isDisconnected ? {} : { create: true }}
      >
        {isDisconnected ? t('View instances') : t('Create instance')}
      </ButtonLink>
    </Stack>
  );
}
