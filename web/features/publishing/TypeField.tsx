/** Selects a message type that the channel supports, or a template that returns one. */
import { NativeSelect } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { typeWord } from '../messages/message-text.ts';
import { isTemplate } from './editor-form.ts';

interface TypeFieldProps {
  value: string;
  instance: Instance | undefined;
  onChange: (type: string) => void;
  error: string | undefined;
}

type Type = Parameters<typeof typeWord>[0];

/** The option for a template. */
const BY_TEMPLATE = '{{';
/** Initial template. */
const FIRST_TEMPLATE = '{% if payload.image_url %}image{% else %}text{% endif %}';

export function TypeField({ value, instance, onChange, error }: TypeFieldProps) {
  const types = instance ? Object.keys(instance.capabilities.types) : ['text'];
  const byTemplate = isTemplate(value);
  // Keeps a selected type that the channel doesn't support; the trial reports the error.
  const all = byTemplate || types.includes(value) ? types : [...types, value];
  return (
    <NativeSelect
      label={t('Type')}
      data={[
        ...all.map((type) => ({ value: type, label: typeWord(type as Type) ?? type })),
        { value: BY_TEMPLATE, label: t('From template…') },
      ]}
      value={byTemplate ? BY_TEMPLATE : value}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === BY_TEMPLATE ? FIRST_TEMPLATE : currentTarget.value)
      }
      error={byTemplate ? undefined : error}
    />
  );
}
