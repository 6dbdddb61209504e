/** Gives a key a new secret. The old one can stay valid for a while, so that programs keep working. */
import { Radio, Stack, Text } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { rotateApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

const OVERLAPS = [
  { seconds: 0, label: t('Immediately'), description: t('Choose this if the old secret may have leaked.') },
  { seconds: 3600, label: t('In an hour'), description: t('Enough time to update one program.') },
  { seconds: 86_400, label: t('In 24 hours'), description: t('Enough time for a deployment.') },
  {
    seconds: 604_800,
    label: t('In 7 days'),
    description: t('Enough time for others to update their programs.'),
  },
];

export function RotateKeyDialog({ opened, object, onClose, onDone }: RecordDialogProps<ApiKey, AnsweredKey>) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Rotate {name}', { name: object.name })}>
      <RotateForm apiKey={object} onDone={onDone} />
    </FormDialog>
  );
}

interface RotateFormProps {
  apiKey: ApiKey;
  onDone: (key: AnsweredKey) => unknown;
}

function RotateForm({ apiKey, onDone }: RotateFormProps) {
  const form = useCallForm(
    { overlap_seconds: 86_400 },
    ({ overlap_seconds: seconds }) => rotateApiKey(apiKey.id, seconds),
    (key) => onDone(key),
  );
  return (
    <FormBody form={form} submit={t('Rotate key')}>
      <Text>
        {t(
          'The key gets a new secret and keeps its ID, scopes and restrictions. When should the old secret expire?',
        )}
      </Text>
      <Radio.Group
        aria-label={t('Old secret expires')}
        value={String(form.values.overlap_seconds)}
        onChange={(seconds) => form.set('overlap_seconds', Number(seconds))}
        error={form.error('overlap_seconds')}
      >
        <Stack gap="xs">
          {OVERLAPS.map(({ seconds, label, description }) => (
            <Radio key={seconds} value={String(seconds)} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
    </FormBody>
  );
}
