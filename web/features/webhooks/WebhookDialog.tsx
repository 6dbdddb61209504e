/** Creates or edits a webhook. The caller shows the secret that the API returns for a new one. */
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { createWebhook, updateWebhook } from '../../api/webhooks.ts';
import { t } from '../../copy/text.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import {
  toCreateBody,
  toUpdateBody,
  emptyWebhookForm,
  changesOrigin,
  type WebhookForm,
  toWebhookForm,
} from './webhook-form.ts';
import { WebhookFields } from './WebhookFields.tsx';

interface WebhookDialogProps extends ObjectDialogProps<Webhook, Webhook | AnsweredWebhook> {
  /** Initial values of a new webhook. */
  defaults?: Pick<WebhookForm, 'url' | 'events'>;
}

export const WebhookDialog = ({ defaults, ...props }: WebhookDialogProps) => (
  <EditDialog<Webhook | null, WebhookForm, Webhook | AnsweredWebhook>
    {...props}
    size={820}
    gap="lg"
    create={t('Create webhook')}
    edit={() => t('Edit webhook')}
    fill={(webhook) => (webhook ? toWebhookForm(webhook) : { ...emptyWebhookForm(), ...defaults })}
    call={(values, webhook, isShown) =>
      webhook
        ? updateWebhook(webhook.id, toUpdateBody(values, webhook, isShown))
        : createWebhook(toCreateBody(values, isShown))
    }
  >
    {(form) => (
      <WebhookFields
        form={form}
        creating={form.base === null}
        originChanged={form.base !== null && changesOrigin(form.values.url, form.base)}
      />
    )}
  </EditDialog>
);
