/** Makes a webhook, or changes one; the answer's secret, where there is one, is the caller's to show. */
import { Button, Modal, Stack } from '@mantine/core';
import type { CallExample } from '../../api/curl.ts';
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { createWebhook, updateWebhook } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import {
  bodyOf,
  changeOf,
  emptyWebhookForm,
  movesOrigin,
  type WebhookForm,
  webhookFormOf,
} from './webhook-form.ts';
import { WebhookFields } from './WebhookFields.tsx';

interface WebhookDialogProps {
  opened: boolean;
  /** The webhook to change; null makes one. */
  webhook: Webhook | null;
  /** What a new one begins with. */
  begin?: Pick<WebhookForm, 'url' | 'events'>;
  onClose: () => void;
  onDone: (webhook: Webhook | AnsweredWebhook) => void;
}

export function WebhookDialog({ opened, webhook, onClose, ...rest }: WebhookDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={webhook ? 'Change the webhook' : 'Create a webhook'}
      size={820}
      closeOnClickOutside={false}
    >
      <WebhookDialogForm webhook={webhook} onClose={onClose} {...rest} />
    </Modal>
  );
}

function WebhookDialogForm({ webhook, begin, onClose, onDone }: Omit<WebhookDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<WebhookForm, Webhook | AnsweredWebhook>(
    webhook ? webhookFormOf(webhook) : { ...emptyWebhookForm(), ...begin },
    (values) =>
      webhook
        ? updateWebhook(workspace.id, webhook.id, changeOf(values, webhook))
        : createWebhook(workspace.id, bodyOf(values)),
    (answer) => onDone(answer),
  );
  const call: CallExample = webhook
    ? { method: 'PATCH', path: `/webhooks/${webhook.id}`, body: changeOf(form.values, webhook) }
    : { method: 'POST', path: '/webhooks', body: bodyOf(form.values) };
  const moved = webhook !== null && movesOrigin(form.values.url, webhook);
  return (
    <form onSubmit={form.submit}>
      <Stack gap="lg">
        <WebhookFields form={form} creating={webhook === null} moved={moved} />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={call} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {webhook ? 'Save' : 'Create webhook'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
