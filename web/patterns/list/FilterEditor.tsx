/** The fields that choose a filter's value. */
import { Button, Checkbox, Loader, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconCheck } from '@tabler/icons-react';
import { useId, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { Filter, FilterOption, LookupFilter, TextFilter } from './filter.ts';
import classes from './list.module.css';
import { SPANS } from './spans.ts';

interface FilterEditorProps {
  filter: Exclude<Filter, { kind: 'flag' }>;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  onClose: () => void;
}

const PAUSE_MS = 200;
/** Options that are shown with a field that narrows them. */
const MANY = 8;

export function FilterEditor({ filter, value, onChange, onClose }: FilterEditorProps) {
  const choose = (chosen: string) => {
    onChange(chosen === value ? undefined : chosen);
    onClose();
  };
  if (filter.kind === 'text') return <TextEditor {...{ filter, value, onChange, onClose }} />;
  if (filter.kind === 'lookup') return <LookupEditor {...{ filter, value, onChange, choose }} />;
  const options = filter.kind === 'span' ? SPANS : filter.options;
  return <ChoiceEditor label={filter.label} options={options} value={value} choose={choose} />;
}

interface ChoiceEditorProps {
  label: string;
  options: readonly FilterOption[];
  value: string | undefined;
  choose: (value: string) => void;
}

function ChoiceEditor({ label, options, value, choose }: ChoiceEditorProps) {
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(words));
  return (
    <OptionList
      label={label}
      options={shown}
      chosen={value === undefined ? [] : [value]}
      choose={choose}
      {...(options.length > MANY && { search: { value: search, onChange: setSearch } })}
    />
  );
}

interface LookupEditorProps {
  filter: LookupFilter;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  choose: (value: string) => void;
}

function LookupEditor({ filter, value, onChange, choose }: LookupEditorProps) {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), PAUSE_MS);
  const { data = [], isPending } = useQuery({ ...filter.options(asked), placeholderData: keepPreviousData });
  const chosen = value?.split(',') ?? [];
  const toggle = (option: string) => {
    if (!filter.multiple) return choose(option);
    const next = chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option];
    onChange(next.join(',') || undefined);
  };
  return (
    <OptionList
      label={filter.label}
      options={data}
      chosen={chosen}
      choose={toggle}
      multiple={filter.multiple ?? false}
      pending={isPending}
      search={{ value: search, onChange: setSearch }}
    />
  );
}

interface OptionListProps {
  label: string;
  options: readonly FilterOption[];
  chosen: readonly string[];
  choose: (value: string) => void;
  multiple?: boolean;
  pending?: boolean;
  search?: { value: string; onChange: (value: string) => void };
}

/** A list box with an optional field above it; the arrow keys move through the options from either. */
function OptionList(props: OptionListProps) {
  const { label, options, chosen, choose, multiple = false, pending = false, search } = props;
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex(({ value }) => chosen.includes(value)),
    ),
  );
  const id = useId();
  const at = Math.min(active, options.length - 1);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setActive((next + options.length) % Math.max(options.length, 1));
    }
    const option = options[at];
    if (event.key === 'Enter' && option) {
      event.preventDefault();
      choose(option.value);
    }
  };
  const activeId = at >= 0 ? `${id}-${at}` : undefined;
  return (
    <div onKeyDown={onKeyDown} role="presentation">
      {search && (
        <TextInput
          size="xs"
          mb={6}
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={activeId}
          aria-label={t('Search {label}', { label: label.toLowerCase() })}
          placeholder={t('Search')}
          rightSection={pending ? <Loader size={12} /> : null}
          value={search.value}
          onChange={({ currentTarget }) => search.onChange(currentTarget.value)}
          data-autofocus
        />
      )}
      <div
        role="listbox"
        id={id}
        aria-label={label}
        aria-multiselectable={multiple || undefined}
        className={classes.options}
        {...(!search && {
          tabIndex: 0,
          'data-autofocus': true,
          'aria-activedescendant': activeId,
        })}
      >
        {options.map((option, index) => (
          // The list box has the focus and the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={chosen.includes(option.value)}
            data-active={index === at || undefined}
            className={classes.option}
            onClick={() => choose(option.value)}
            onPointerMove={() => setActive(index)}
          >
            {multiple ? (
              <Checkbox
                size="xs"
                readOnly
                tabIndex={-1}
                aria-hidden
                checked={chosen.includes(option.value)}
              />
            ) : (
              <IconCheck
                size={14}
                aria-hidden
                style={{ visibility: chosen.includes(option.value) ? 'visible' : 'hidden' }}
              />
            )}
            <span className={atoms.breaks}>{option.label}</span>
          </div>
        ))}
      </div>
      {options.length === 0 && !pending && <p className={classes.noOptions}>{t('No matches')}</p>}
    </div>
  );
}

interface TextEditorProps {
  filter: TextFilter;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  onClose: () => void;
}

function TextEditor({ filter, value, onChange, onClose }: TextEditorProps) {
  const [text, setText] = useState(value ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim() || undefined);
        onClose();
      }}
    >
      <Stack gap={6}>
        <TextInput
          size="xs"
          aria-label={filter.label}
          {...(filter.placeholder !== undefined && { placeholder: filter.placeholder })}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
        <Button size="xs" type="submit">
          {t('Apply')}
        </Button>
      </Stack>
    </form>
  );
}
