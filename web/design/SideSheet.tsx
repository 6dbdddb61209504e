/**
 * Details of one row beside its list. The list stays usable; up/down (or k/j) go to the row before and after.
 */
import { ActionIcon, Drawer, Group } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../copy/text.ts';
import classes from './ui.module.css';

interface SideSheetProps<T extends { id: string }> {
  /** By default, whether there is a record. */
  opened?: boolean;
  /** The record to show. */
  record: T | undefined;
  /** Shown while the sheet is open without a record: while it loads, or where it is missing. */
  fallback?: React.ReactNode;
  /** IDs in the order of the list, for going to the one before and after. */
  ids: readonly string[];
  title: (record: T) => React.ReactNode;
  onSelect: (id: string | undefined) => void;
  /** A dialog is open above the sheet and handles the keys. */
  busy?: boolean;
  children: (record: T) => React.ReactNode;
}

export function SideSheet<T extends { id: string }>(props: SideSheetProps<T>) {
  const { record, ids, title, onSelect, busy = false, fallback, children } = props;
  const opened = props.opened ?? record !== undefined;
  // Kept while the sheet slides out, which would otherwise show nothing.
  const [last, setLast] = useState(record);
  if (record && record !== last) setLast(record);
  const narrow = useMediaQuery('(max-width: 48em)');
  const shown = record ?? (opened ? undefined : last);
  const at = record ? ids.indexOf(record.id) : -1;
  const previous = at > 0 ? ids[at - 1] : undefined;
  const next = at >= 0 ? ids[at + 1] : undefined;
  const go = (id: string | undefined) => () => {
    if (record && !busy && id !== undefined) onSelect(id);
  };
  useHotkeys([
    ['ArrowUp', go(previous)],
    ['k', go(previous)],
    ['ArrowDown', go(next)],
    ['j', go(next)],
  ]);
  return (
    <Drawer.Root
      opened={opened}
      onClose={() => onSelect(undefined)}
      position="right"
      size={narrow ? '100%' : 500}
      trapFocus={false}
      lockScroll={false}
      closeOnClickOutside={false}
      closeOnEscape={!busy}
      returnFocus
      // Dialogs stand over the sheet, whichever was there first.
      zIndex={150}
      classNames={{ content: classes.sheet }}
    >
      <Drawer.Content aria-label={t('Details')}>
        <Drawer.Header>
          <Drawer.Title className={classes.sheetTitle}>{shown && title(shown)}</Drawer.Title>
          <Group gap={4} wrap="nowrap">
            <Step
              label={t('Previous')}
              keys="↑"
              to={go(previous)}
              disabled={previous === undefined}
              icon={IconChevronUp}
            />
            <Step
              label={t('Next')}
              keys="↓"
              to={go(next)}
              disabled={next === undefined}
              icon={IconChevronDown}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Close details')}
              onClick={() => onSelect(undefined)}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        </Drawer.Header>
        <Drawer.Body>{shown ? children(shown) : fallback}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface StepProps {
  label: string;
  keys: string;
  to: () => void;
  disabled: boolean;
  icon: typeof IconX;
}

function Step({ label, keys, to, disabled, icon: Icon }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      data-tip={`${label} ${keys}`}
      onClick={to}
      disabled={disabled}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}
