/** Asks for confirmation before a shorter retention is saved, since it deletes data that can't be restored. */
import { Text } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import type { Workspace } from '../../api/types.ts';
import { ConfirmAction } from '../../patterns/lazy-dialogs.tsx';

export type Retention = Pick<Workspace, 'message_retention_days' | 'media_retention_days'>;

/** Returns whether the change shortens a retention. */
export const isShorter = (before: Retention, after: Partial<Retention>): boolean =>
  fewer(before.message_retention_days, after.message_retention_days) ||
  fewer(before.media_retention_days, after.media_retention_days);

const fewer = (before: number | null, after: number | null | undefined): after is number =>
  typeof after === 'number' && (before === null || after < before);

interface ShorterRetentionProps {
  opened: boolean;
  before: Retention;
  after: Partial<Retention>;
  save: () => void;
  onClose: () => void;
}

export function ShorterRetention({ opened, before, after, save, onClose }: ShorterRetentionProps) {
  const { message_retention_days: messages, media_retention_days: media } = after;
  return (
    <ConfirmAction
      opened={opened}
      title={t('Delete older data?')}
      confirm={t('Save and delete')}
      action={save}
      onDone={onClose}
      onClose={onClose}
    >
      {fewer(before.message_retention_days, messages) && (
        <Text>
          {plural(messages, {
            one: 'Messages older than {count} day and their files are deleted within an hour.',
            other: 'Messages older than {count} days and their files are deleted within an hour.',
          })}
        </Text>
      )}
      {fewer(before.media_retention_days, media) && (
        <Text>
          {plural(media, {
            one: 'Files older than {count} day are deleted within an hour, including files in messages.',
            other: 'Files older than {count} days are deleted within an hour, including files in messages.',
          })}
        </Text>
      )}
      <Text>{t("This can't be undone.")}</Text>
    </ConfirmAction>
  );
}
