import { Menu } from '@mantine/core';
import type { RowAction } from './row-action.ts';

interface RowMenuOpenProps {
  button: React.ReactElement;
  actions: RowAction[];
}

/** The menu itself, opened; loaded by `RowMenu`. */
export function RowMenuOpen({ button, actions }: RowMenuOpenProps) {
  return (
    <Menu position="bottom-end" width={190} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, danger = false, icon: Icon, onClick }) => (
          <Menu.Item
            key={label}
            onClick={onClick}
            {...(danger && { color: 'red', c: 'var(--mantine-color-error)' })}
            {...(Icon && { leftSection: <Icon size={15} /> })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
