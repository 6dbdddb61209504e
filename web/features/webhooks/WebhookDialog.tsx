/** Creates or edits a webhook. The caller shows the secret that the API returns for a new one. */
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import type { CallExample } from '../../api/curl.ts';
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { createWebhook, updateWebhook } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import {
  toCreateBody,
  toUpdateBody,
  emptyWebhookForm,
  changesOrigin,
  type WebhookForm,
  toWebhookForm,
} from './webhook-form.ts';
import { WebhookFields } from './WebhookFields.tsx';

interface WebhookDialogProps {
  opened: boolean;
  /** The webhook to edit; null creates one. */
  webhook: Webhook | null;
  /** Initial values of a new webhook. */
  defaults?: Pick<WebhookForm, 'url' | 'events'>;
  onClose: () => void;
  onDone: (webhook: Webhook | AnsweredWebhook) => void;
}

export function WebhookDialog({ opened, webhook, onClose, ...rest }: WebhookDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={webhook ? t('Edit webhook') : t('Create webhook')}
      size={820}
    >
      <WebhookDialogForm webhook={webhook} {...rest} />
    </FormDialog>
  );
}

function WebhookDialogForm({ webhook, defaults, onDone }: Omit<WebhookDialogProps, 'opened' | 'onClose'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm<Webhook | null, WebhookForm, Webhook | AnsweredWebhook>({
    object: webhook,
    path: '/webhooks',
    fill: (object) => (object ? toWebhookForm(object) : { ...emptyWebhookForm(), ...defaults }),
    getChange: toUpdateBody,
    save: (values, base, version) =>
      base
        ? updateWebhook(workspace.id, base.id, toUpdateBody(values, base), version)
        : createWebhook(workspace.id, toCreateBody(values)),
    done: onDone,
  });
  const { base } = form;
  const call: CallExample = base
    ? { method: 'PATCH', path: `/webhooks/${base.id}`, body: toUpdateBody(form.values, base) }
    : { method: 'POST', path: '/webhooks', body: toCreateBody(form.values) };
  const originChanged = base !== null && changesOrigin(form.values.url, base);
  return (
    <FormBody form={form} submit={webhook ? t('Save') : t('Create webhook')} call={call} gap="lg">
      <WebhookFields form={form} creating={webhook === null} originChanged={originChanged} />
    </FormBody>
  );
}
