import { Menu } from '@mantine/core';
import { t } from '../../copy/text.ts';
import classes from './bubble.module.css';
import type { MessageAction, MessageMenuProps, AvailableActions } from './message-actions.ts';

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

const ITEMS: [action: MessageAction & keyof AvailableActions, label: string][] = [
  ['reply', t('Reply')],
  ['copy', t('Copy text')],
  ['forward', t('Forward')],
  ['edit', t('Edit')],
  ['pin', t('Pin')],
  ['unpin', t('Unpin')],
  ['sendNow', t('Send now')],
  ['sendAgain', t('Resend')],
];

/** The open menu, loaded by `MessageMenu`. */
export function MessageMenuOpen({
  button,
  message,
  available,
  onAction,
}: MessageMenuProps & { button: React.ReactElement }) {
  const own = message.reactions.find((one) => one.from_me);
  return (
    <Menu position="bottom-end" width={200} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {available.react && (
          <div className={classes.emojis} role="none">
            {EMOJI.map((emoji) => (
              <Menu.Item
                key={emoji}
                className={classes.emojiItem}
                aria-label={t('React with {emoji}', { emoji })}
                onClick={() => onAction(message, 'react', emoji)}
              >
                {emoji}
              </Menu.Item>
            ))}
          </div>
        )}
        {available.react && own && (
          <Menu.Item onClick={() => onAction(message, 'react', null)}>
            {t('Remove {emoji}', { emoji: own.emoji })}
          </Menu.Item>
        )}
        {ITEMS.filter(([action]) => available[action]).map(([action, label]) => (
          <Menu.Item key={action} onClick={() => onAction(message, action)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onAction(message, 'details')}>{t('Details')}</Menu.Item>
        {available.cancel && (
          <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => onAction(message, 'cancel')}>
            {t('Cancel message')}
          </Menu.Item>
        )}
        {available.revoke && (
          <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => onAction(message, 'revoke')}>
            {t('Revoke')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
