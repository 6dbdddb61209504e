/** The key-value pairs that users keep with an object. */
import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Fault } from '../../api/problem.ts';
import { t } from '../../copy/text.ts';
import { pointerOf, sentence } from './field-errors.ts';
import { type MetadataPair, newPair } from './metadata.ts';
import type { ApiForm } from './use-api-form.ts';

/** The most that the API stores with an object. */
const MAX_PAIRS = 50;

type MetadataForm = Pick<ApiForm<{ metadata: MetadataPair[] }>, 'values' | 'error' | 'at'> & {
  set: (name: 'metadata', pairs: MetadataPair[]) => void;
};

/** Returns the form of an editor that isn't an API form. */
export function metadataForm(
  values: MetadataForm['values'],
  set: MetadataForm['set'],
  faults: readonly Fault[],
): MetadataForm {
  const at: MetadataForm['at'] = (...path) =>
    sentence(faults.find(({ pointer }) => pointer === pointerOf(...path))?.detail);
  return { values, set, at, error: at };
}

interface MetadataFieldProps {
  form: MetadataForm;
  description?: string;
}

export function MetadataField({
  form,
  description = t('Your own key-value pairs, for use in your code.'),
}: MetadataFieldProps) {
  const pairs = form.values.metadata;
  const errors = new Map(pairs.map(({ key, name }) => [key, form.at('metadata', name.trim())]));
  const hasNone = [...errors.values()].every((text) => text === undefined);
  const change = (key: number, part: { name?: string; value?: string }) =>
    form.set(
      'metadata',
      pairs.map((one) => (one.key === key ? { ...one, ...part } : one)),
    );
  return (
    <Input.Wrapper
      label={t('Metadata')}
      labelElement="div"
      description={description}
      error={hasNone ? form.error('metadata') : undefined}
    >
      <Stack gap={6} mt={4}>
        {pairs.map(({ key, name, value }) => (
          <Group key={key} gap={6} wrap="nowrap" align="start">
            <TextInput
              flex={1}
              aria-label={t('Key')}
              placeholder="team"
              maxLength={40}
              spellCheck={false}
              value={name}
              onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
            />
            <TextInput
              flex={1.4}
              aria-label={t('Value of {name}', { name: name || 'the key' })}
              maxLength={500}
              value={value}
              onChange={({ currentTarget }) => change(key, { value: currentTarget.value })}
              error={errors.get(key)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('Remove {name}', { name: name || 'the pair' })}
              onClick={() =>
                form.set(
                  'metadata',
                  pairs.filter((one) => one.key !== key),
                )
              }
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
        {pairs.length < MAX_PAIRS && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => form.set('metadata', [...pairs, newPair()])}
            >
              {t('Add metadata')}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
