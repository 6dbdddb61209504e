import { Popover } from '@mantine/core';
import type { Filter } from './filter.ts';
import { FilterEditor } from './FilterEditor.tsx';

interface FilterPopoverProps {
  button: React.ReactElement;
  opened: boolean;
  onOpened: (opened: boolean) => void;
  filter: Exclude<Filter, { kind: 'flag' }>;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The choice of a filter's value, below its chip. Loaded when a filter is first opened. */
export function FilterPopover({ button, opened, onOpened, filter, value, onChange }: FilterPopoverProps) {
  return (
    <Popover
      opened={opened}
      onChange={onOpened}
      position="bottom-start"
      width={260}
      shadow="md"
      trapFocus
      returnFocus
      // The roles belong to the button, not to the chip around it.
      withRoles={false}
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown p={6} role="dialog" tabIndex={-1} aria-label={filter.label}>
        <FilterEditor filter={filter} value={value} onChange={onChange} onClose={() => onOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
