import { Alert, Button, Group, Text } from '@mantine/core';
import { useCan } from '../../shell/workspace-context.ts';
import ui from '../../ui/ui.module.css';

/** That nothing is taken. */
export function DisabledNotice({ onEnable }: { onEnable: () => void }) {
  const write = useCan('publishing:write');
  return (
    <Alert variant="light" color="gray" className={ui.notice} mb="sm" style={{ flex: 'none' }}>
      <Group justify="space-between" gap="xs">
        <Text>It is disabled: its senders are answered 404, and nothing of what they send is kept.</Text>
        {write && (
          <Button size="xs" onClick={onEnable}>
            Enable
          </Button>
        )}
      </Group>
    </Alert>
  );
}
