import { Alert, Button, Group, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { useCan } from '../../api/workspace-context.ts';
import ui from '../../design/ui.module.css';

/** Explains that a disabled endpoint accepts no requests. */
export function DisabledNotice({ onEnable }: { onEnable: () => void }) {
  const write = useCan('publishing:write');
  return (
    <Alert variant="light" color="gray" className={ui.notice} mb="sm" style={{ flex: 'none' }}>
      <Group justify="space-between" gap="xs">
        <Text>
          {t("This endpoint is disabled. Senders get a 404 response, and their requests aren't stored.")}
        </Text>
        {write && (
          <Button size="xs" onClick={onEnable}>
            {t('Enable')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
