/** Rotates an endpoint's secret URL or signing secret. The previous one stays valid for a chosen time. */
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { rich, t } from '../../copy/text.ts';
import { rotateEndpoint } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { SECRET_HINTS } from './auth-form.ts';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';
import { MASK } from '../../patterns/form/mask.ts';

type RotateDialogProps = RecordDialogProps<PublishingEndpoint, AnsweredEndpoint>;

const OVERLAPS = [
  { value: '0', label: t('Expires immediately') },
  { value: '3600', label: t('1 hour') },
  { value: '86400', label: t('1 day') },
  { value: '604800', label: t('7 days') },
];

const toBody = (
  { secret, overlap_seconds: overlap }: { secret: string; overlap_seconds: string },
  isShown: boolean,
) => ({
  ...(secret.trim() !== '' && { secret: isShown ? MASK : secret.trim() }),
  overlap_seconds: Number(overlap),
});

export function RotateDialog({ opened, ...rest }: RotateDialogProps) {
  const isUrl = rest.object.auth.type === 'secret_url';
  return (
    <FormDialog opened={opened} onClose={rest.onClose} title={isUrl ? t('Rotate URL') : t('Rotate secret')}>
      <RotateFields {...rest} />
    </FormDialog>
  );
}

function RotateFields({ object: endpoint, onDone }: Omit<RotateDialogProps, 'opened' | 'onClose'>) {
  const { type, scheme, previous_expires_at: previous } = endpoint.auth;
  const isUrl = type === 'secret_url';
  const form = useCallForm(
    { secret: '', overlap_seconds: '86400' },
    (values, isShown) => rotateEndpoint(endpoint.id, toBody(values, isShown)),
    onDone,
  );
  return (
    <FormBody form={form} submit={t('Rotate')}>
      <Text>
        {isUrl
          ? t('Creates a new URL. Update the sender while the current URL is still valid.')
          : t('Creates a new secret. Update the sender while the current secret is still valid.')}
      </Text>
      {previous !== null && (
        <Text c="var(--mantine-color-error)">
          {rich(
            'This was already rotated. The previous value, valid until <time>then</time>, expires immediately if you rotate again.',
            { time: () => <RelativeTime at={previous} /> },
          )}
        </Text>
      )}
      {type === 'signature' && scheme !== null && (
        <TextInput
          label={t('New secret')}
          description={SECRET_HINTS[scheme]}
          type="password"
          autoComplete="new-password"
          spellCheck={false}
          {...form.text('secret')}
        />
      )}
      <NativeSelect
        label={isUrl ? t('Keep the current URL valid for') : t('Keep the current secret valid for')}
        data={OVERLAPS}
        value={form.values.overlap_seconds}
        onChange={({ currentTarget }) => form.set('overlap_seconds', currentTarget.value)}
        error={form.error('overlap_seconds')}
      />
    </FormBody>
  );
}
