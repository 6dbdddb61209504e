/** Names of tags. What is there is suggested; another name makes a tag. */
import { TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { suggestedTagsQuery } from '../../api/tags.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';

interface TagsFieldProps {
  label?: string;
  'aria-label'?: string;
  placeholder?: string;
  size?: 'xs';
  'data-autofocus'?: true;
  value: string[];
  onChange: (names: string[]) => void;
  error?: string | undefined;
  /** Whether a name that is not there makes a tag. */
  makes?: boolean;
}

const TYPED_MS = 150;
const MOST = 50;

export function TagsField({ value, onChange, makes = true, placeholder, ...rest }: TagsFieldProps) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPED_MS);
  const { data: tags = [] } = useQuery({
    ...suggestedTagsQuery(workspace.id, search.slice(0, MOST)),
    placeholderData: keepPreviousData,
  });
  return (
    <TagsInput
      placeholder={value.length > 0 ? '' : (placeholder ?? (makes ? 'Pick, or type a new one' : 'Pick'))}
      data={tags.map(({ name }) => name)}
      maxTags={MOST}
      splitChars={[',']}
      acceptValueOnBlur={makes}
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
