/** A filter of a list: a chip that opens the choice of its value, and shows and clears the value once it is set. */
import { CloseButton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCirclePlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { t } from '../../copy/text.ts';
import { lazily } from '../lazily.ts';
import type { Filter, LookupFilter } from './filter.ts';
import classes from './list.module.css';
import { SPANS } from './spans.ts';

const FilterPopover = lazily(() => import('./FilterPopover.tsx'), 'FilterPopover');

interface FilterChipProps {
  filter: Filter;
  /** Of the address. */
  value: string | true | undefined;
  onChange: (value: string | true | undefined) => void;
}

export function FilterChip({ filter, value, onChange }: FilterChipProps) {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState(false);
  const isActive = value !== undefined;
  const usual = filter.kind === 'choice' ? filter.usual : undefined;
  const shown = isActive ? String(value) : usual;
  const press = () => {
    if (filter.kind === 'flag') return onChange(isActive ? undefined : true);
    setWanted(true);
    setOpened(!opened);
  };
  const chip = (
    <span className={classes.chip} data-active={isActive || undefined}>
      <UnstyledButton
        className={classes.chipButton}
        onClick={press}
        {...(filter.kind === 'flag'
          ? { 'aria-pressed': isActive }
          : { 'aria-haspopup': 'dialog', 'aria-expanded': opened })}
      >
        {shown === undefined && <IconCirclePlus size={14} stroke={1.7} aria-hidden />}
        {filter.label}
        {shown !== undefined && filter.kind !== 'flag' && (
          <span className={classes.chipValue}>
            <ValueLabel filter={filter} value={shown} />
          </span>
        )}
      </UnstyledButton>
      {isActive && (
        <CloseButton
          size={24}
          iconSize={12}
          aria-label={t('Clear {filter}', { filter: filter.label })}
          onClick={() => onChange(undefined)}
        />
      )}
    </span>
  );
  if (filter.kind === 'flag' || !wanted) return chip;
  return (
    <Suspense fallback={chip}>
      <FilterPopover
        button={chip}
        opened={opened}
        onOpened={setOpened}
        filter={filter}
        value={shown}
        onChange={(chosen) => onChange(chosen === usual ? undefined : chosen)}
      />
    </Suspense>
  );
}

function ValueLabel({ filter, value }: { filter: Filter; value: string }) {
  if (filter.kind === 'choice')
    return filter.options.find((option) => option.value === value)?.label ?? value;
  if (filter.kind === 'span') return SPANS.find((span) => span.value === value)?.label ?? value;
  if (filter.kind === 'lookup' && filter.labelFor)
    return <LookedUp labelFor={filter.labelFor} value={value} />;
  return value.replaceAll(',', ', ');
}

function LookedUp({ labelFor, value }: { labelFor: NonNullable<LookupFilter['labelFor']>; value: string }) {
  const { data = value } = useQuery(labelFor(value));
  return data;
}
