import { Menu } from '@mantine/core';
import { typeWord } from './chat-text.ts';
import type { ContentType } from './content-form.ts';

interface ContentMenuOpenProps {
  button: React.ReactElement;
  types: readonly ContentType[];
  onChoose: (type: ContentType) => void;
}

/** The menu itself, opened; loaded by `ContentMenu`. */
export function ContentMenuOpen({ button, types, onChoose }: ContentMenuOpenProps) {
  return (
    <Menu position="top-start" width={190} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => (
          <Menu.Item key={type} onClick={() => onChoose(type)}>
            {typeWord(type)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
