/**
 * A field that chooses one of many records: it asks the server as you type, and shows the name of the chosen record even
 * when that is not among the first.
 */
import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { FilterOption, LookupFilter } from '../list/filter.ts';

export interface LookupSelectProps extends Pick<
  SelectProps,
  | 'label'
  | 'aria-label'
  | 'className'
  | 'size'
  | 'description'
  | 'error'
  | 'required'
  | 'withAsterisk'
  | 'placeholder'
  | 'clearable'
  | 'renderOption'
> {
  options: LookupFilter['options'];
  /** Gets the label of a value; by default it is the value. */
  labelFor?: LookupFilter['labelFor'];
  /** ID of the chosen record; empty for none. */
  value: string;
  onChange: (id: string) => void;
  /** Label of a value whose record was deleted. */
  missing?: string;
}

const TYPING_MS = 150;
/** Maximum length of a search term in the API. */
const MAX_TERM = 200;

const asItIs = (value: string) => ({
  queryKey: ['value', value],
  queryFn: () => Promise.resolve(value),
});

export function LookupSelect(props: LookupSelectProps) {
  const { options, labelFor, value, onChange, missing = '', ...field } = props;
  const [input, setInput] = useState('');
  const name = useQuery({ ...(labelFor ?? asItIs)(value), enabled: value !== '', retry: false });
  const label = name.data ?? (name.error ? missing : labelFor ? '…' : value);
  // The field shows the name of the chosen record, which is not a search term.
  const term = input === label ? '' : input.trim().slice(0, MAX_TERM);
  const [search] = useDebouncedValue(term, TYPING_MS);
  const { data: found = [] } = useQuery({ ...options(search), placeholderData: keepPreviousData });
  const all: FilterOption[] = found.map((one) => ({ value: one.value, label: one.label }));
  if (value !== '' && !all.some((one) => one.value === value)) all.unshift({ value, label });
  return (
    <Select
      placeholder={t('Search by name')}
      {...field}
      searchable
      styles={{ input: { textOverflow: 'ellipsis' } }}
      allowDeselect={false}
      data={all}
      // The server has filtered them.
      filter={({ options: given }) => given}
      nothingFoundMessage={t('No results')}
      searchValue={input}
      onSearchChange={setInput}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
