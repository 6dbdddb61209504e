/** Selects tags by name. Suggests existing tags; a new name creates a tag. */
import { TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { suggestedTagsQuery } from '../../api/tags.ts';
import { useWorkspace } from '../../api/workspace-context.ts';

interface TagsFieldProps {
  label?: string;
  'aria-label'?: string;
  placeholder?: string;
  size?: 'xs';
  'data-autofocus'?: true;
  value: string[];
  onChange: (names: string[]) => void;
  error?: string | undefined;
  /** Whether an unknown name creates a tag. */
  creates?: boolean;
}

const TYPED_MS = 150;
const MAX_TAGS = 50;

export function TagsField({ value, onChange, creates = true, placeholder, ...rest }: TagsFieldProps) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPED_MS);
  const { data: tags = [] } = useQuery({
    ...suggestedTagsQuery(workspace.id, search.slice(0, MAX_TAGS)),
    placeholderData: keepPreviousData,
  });
  return (
    <TagsInput
      placeholder={
        value.length > 0 ? '' : (placeholder ?? (creates ? t('Select or create tags') : t('Select tags')))
      }
      data={tags.map(({ name }) => name)}
      maxTags={MAX_TAGS}
      splitChars={[',']}
      acceptValueOnBlur={creates}
      clearable
      isDuplicate={(name, names) => names.some((one) => one.toLowerCase() === name.trim().toLowerCase())}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={(names) => onChange(names.map((name) => name.trim()).filter(Boolean))}
      {...rest}
    />
  );
}
