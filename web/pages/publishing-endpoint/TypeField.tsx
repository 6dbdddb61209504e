/** The type of a message: of those that the channel takes, or by a template. */
import { NativeSelect } from '@mantine/core';
import type { Instance } from '../../api/types.ts';
import { typeWord } from '../chats/chat-text.ts';
import { isTemplate } from './editor-form.ts';

interface TypeFieldProps {
  value: string;
  instance: Instance | undefined;
  onChange: (type: string) => void;
  error: string | undefined;
}

type Type = Parameters<typeof typeWord>[0];

/** Stands for any template, among the types. */
const BY_TEMPLATE = '{{';
/** What a template for it begins with. */
const FIRST_TEMPLATE = '{% if payload.image_url %}image{% else %}text{% endif %}';

export function TypeField({ value, instance, onChange, error }: TypeFieldProps) {
  const types = instance ? Object.keys(instance.capabilities.types) : ['text'];
  const byTemplate = isTemplate(value);
  // A type that the channel does not take stays what was chosen; the trial says that it is refused.
  const all = byTemplate || types.includes(value) ? types : [...types, value];
  return (
    <NativeSelect
      label="Type"
      data={[
        ...all.map((type) => ({ value: type, label: typeWord(type as Type) ?? type })),
        { value: BY_TEMPLATE, label: 'By the payload…' },
      ]}
      value={byTemplate ? BY_TEMPLATE : value}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === BY_TEMPLATE ? FIRST_TEMPLATE : currentTarget.value)
      }
      error={byTemplate ? undefined : error}
    />
  );
}
