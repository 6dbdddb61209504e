/** Sends a ping to the webhook. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconSend } from '@tabler/icons-react';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Webhook } from '../../api/types.ts';
import { testWebhook } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';

export function SendTest({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => testWebhook(workspace.id, webhook.id),
    onSuccess: () => {
      notifyDone('A ping is on its way');
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, webhook.id) });
    },
    onError: notifyFailed,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={16} />}
      disabled={!webhook.enabled}
      loading={test.isPending}
      onClick={() => test.mutate()}
    >
      Send test
    </Button>
  );
}
