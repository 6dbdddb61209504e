/** Asks before days of retention are saved that let go what is kept until now: a slip of the keyboard would be for good. */
import { Text } from '@mantine/core';
import type { Workspace } from '../../api/types.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';

export type Retention = Pick<Workspace, 'message_retention_days' | 'media_retention_days'>;

/** Whether something is kept for fewer days than before. */
export const isShorter = (before: Retention, after: Partial<Retention>): boolean =>
  fewer(before.message_retention_days, after.message_retention_days) ||
  fewer(before.media_retention_days, after.media_retention_days);

const fewer = (before: number | null, after: number | null | undefined): after is number =>
  typeof after === 'number' && (before === null || after < before);

const days = (count: number): string => (count === 1 ? 'a day' : `${count} days`);

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
    <OnceOpened opened={opened}>
      <ConfirmDialog
        opened={opened}
        title="Delete what is older?"
        confirm="Save and delete"
        action={async () => save()}
        onDone={onClose}
        onClose={onClose}
      >
        <Text>
          {fewer(before.message_retention_days, messages) &&
            `Messages older than ${days(messages)}, and the files that came with them, are deleted within the hour. `}
          {fewer(before.media_retention_days, media) &&
            `Files older than ${days(media)} are deleted within the hour, also those that messages show. `}
          This can't be undone.
        </Text>
      </ConfirmDialog>
    </OnceOpened>
  );
}
