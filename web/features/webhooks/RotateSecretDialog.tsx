/** Rotates a webhook's signing secret. The previous secret stays valid for 24 hours. */
import { Text, TextInput } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { rich, t } from '../../copy/text.ts';
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { rotateWebhookSecret } from '../../api/webhooks.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';
import { MASK } from '../../patterns/form/mask.ts';

type RotateSecretDialogProps = RecordDialogProps<Webhook, AnsweredWebhook>;

const toBody = ({ secret }: { secret: string }, isShown: boolean) =>
  secret.trim() ? { secret: isShown ? MASK : secret.trim() } : {};

export function RotateSecretDialog({ opened, ...rest }: RotateSecretDialogProps) {
  return (
    <FormDialog opened={opened} onClose={rest.onClose} title={t('Rotate signing secret')}>
      <RotateFields {...rest} />
    </FormDialog>
  );
}

function RotateFields({ object: webhook, onDone }: Omit<RotateSecretDialogProps, 'opened' | 'onClose'>) {
  const form = useCallForm(
    { secret: '' },
    (values, isShown) => rotateWebhookSecret(webhook.id, toBody(values, isShown)),
    (answer) => onDone(answer),
  );
  return (
    <FormBody form={form} submit={t('Rotate secret')}>
      <Text>
        {t(
          'For 24 hours, deliveries are signed with both the new and the current secret. Update your endpoint within that time to keep verifying deliveries.',
        )}
      </Text>
      {webhook.previous_secret_expires_at && (
        <Text c="var(--mantine-color-error)">
          {rich(
            'The secret was already rotated. The previous secret, valid until <time>then</time>, expires immediately if you rotate again.',
            { time: () => <RelativeTime at={webhook.previous_secret_expires_at} /> },
          )}
        </Text>
      )}
      <TextInput
        label={t('Custom secret')}
        description={t('whsec_ followed by 24 to 64 bytes in base64. Leave blank to generate one.')}
        placeholder="whsec_…"
        autoComplete="off"
        spellCheck={false}
        {...form.text('secret')}
      />
    </FormBody>
  );
}
