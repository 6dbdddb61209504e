import { Menu } from '@mantine/core';
import {
  IconCalendarEvent,
  IconChartBar,
  IconForms,
  IconMapPin,
  IconTemplate,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { typeWord } from '../messages/message-text.ts';
import type { ContentType } from './content-form.ts';

interface ContentMenuOpenProps {
  button: React.ReactElement;
  types: readonly ContentType[];
  onChoose: (type: ContentType) => void;
}

const ICONS: Record<ContentType, TablerIcon> = {
  location: IconMapPin,
  contacts: IconUser,
  poll: IconChartBar,
  template: IconTemplate,
  interactive: IconForms,
  event: IconCalendarEvent,
};

/** The menu itself, opened; loaded by `ContentMenu`. */
export function ContentMenuOpen({ button, types, onChoose }: ContentMenuOpenProps) {
  return (
    <Menu position="top-start" width={190} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => {
          const Icon = ICONS[type];
          return (
            <Menu.Item key={type} leftSection={<Icon size={16} />} onClick={() => onChoose(type)}>
              {typeWord(type)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
