import { Menu } from '@mantine/core';
import classes from './bubble.module.css';
import type { MessageAction } from './Bubble.tsx';
import type { Possible } from './message-actions.ts';
import type { MessageMenuProps } from './MessageMenu.tsx';

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

const ITEMS: [action: MessageAction & keyof Possible, label: string][] = [
  ['reply', 'Reply'],
  ['copy', 'Copy text'],
  ['forward', 'Forward'],
  ['edit', 'Edit'],
  ['sendNow', 'Send now'],
  ['sendAgain', 'Send again'],
];

/** The menu itself, opened; loaded by `MessageMenu`. */
export function MessageMenuOpen({
  button,
  message,
  possible,
  onAction,
}: MessageMenuProps & { button: React.ReactElement }) {
  const own = message.reactions.find((one) => one.from_me);
  return (
    <Menu position="bottom-end" width={200} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {possible.react && (
          <div className={classes.emojis} role="none">
            {EMOJI.map((emoji) => (
              <Menu.Item
                key={emoji}
                className={classes.emojiItem}
                aria-label={`React with ${emoji}`}
                onClick={() => onAction(message, 'react', emoji)}
              >
                {emoji}
              </Menu.Item>
            ))}
          </div>
        )}
        {possible.react && own && (
          <Menu.Item onClick={() => onAction(message, 'react', null)}>Take {own.emoji} back</Menu.Item>
        )}
        {ITEMS.filter(([action]) => possible[action]).map(([action, label]) => (
          <Menu.Item key={action} onClick={() => onAction(message, action)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onAction(message, 'details')}>Details</Menu.Item>
        {possible.cancel && (
          <Menu.Item color="red" onClick={() => onAction(message, 'cancel')}>
            Cancel sending
          </Menu.Item>
        )}
        {possible.revoke && (
          <Menu.Item color="red" onClick={() => onAction(message, 'revoke')}>
            Delete for everybody
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
