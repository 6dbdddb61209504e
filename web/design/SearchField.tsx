/** The search field of lists. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

const PAUSE_MS = 250;

interface SearchFieldProps extends Omit<TextInputProps, 'defaultValue' | 'onChange' | 'value'> {
  'aria-label': string;
  /** The text that is searched for now. */
  query: string | undefined;
  /** Called once typing pauses or the field loses focus; undefined when it is blank. */
  onSearch: (query: string | undefined) => void;
}

/**
 * Renders a search field that searches once typing pauses, or when it loses focus: a search after the next click would
 * undo that click's navigation.
 */
export function SearchField({ query, onSearch, ...props }: SearchFieldProps) {
  const [typed, setTyped] = useState(query ?? '');
  const [searched, setSearched] = useState(query);
  // Changed from outside: cleared with the filters, or by going back.
  if (query !== searched) {
    setSearched(query);
    if ((query ?? '') !== typed.trim()) setTyped(query ?? '');
  }
  const search = useDebouncedCallback((text: string) => onSearch(text.trim() || undefined), PAUSE_MS);
  return (
    <TextInput
      size="xs"
      type="search"
      leftSection={<IconSearch size={14} />}
      {...props}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value);
      }}
      onBlur={() => search.flush()}
    />
  );
}
