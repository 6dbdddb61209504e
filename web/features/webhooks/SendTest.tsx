import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { Webhook } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { useSendTest } from './use-send-test.ts';

/** A button that sends a `ping` event to the webhook. */
export function SendTest({ webhook }: { webhook: Webhook }) {
  const test = useSendTest();
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={16} />}
      disabled={!webhook.enabled}
      loading={test.isPending}
      onClick={() => test.mutate(webhook)}
    >
      {t('Send test')}
    </Button>
  );
}
