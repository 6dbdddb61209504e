import { Text } from '@mantine/core';

/** Said while the channel has not answered. */
export function IqClient() {
  return (
    <Text c="dimmed" size="xs" role="status">
      The channel is being asked. It goes on when this is closed.
    </Text>
  );
}
