import type { TablerIcon } from '@tabler/icons-react';

/** An entry of a row's menu. */
export interface RowAction {
  id?: string;
  label: string;
  icon?: TablerIcon;
  danger?: boolean;
  onClick: () => void;
}
