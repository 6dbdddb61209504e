import { Menu } from '@mantine/core';
import type { RowAction } from './RowMenu.tsx';

interface RowMenuOpenProps {
  button: React.ReactElement;
  actions: RowAction[];
}

/** The menu itself, opened; loaded by `RowMenu`. */
export function RowMenuOpen({ button, actions }: RowMenuOpenProps) {
  return (
    <Menu position="bottom-end" width={180} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, danger = false, onClick }) => (
          <Menu.Item key={label} onClick={onClick} {...(danger && { color: 'red' })}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
