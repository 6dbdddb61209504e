/** The file attached to a draft, and the type to send it as. */
import { ActionIcon, NativeSelect, Progress, Text } from '@mantine/core';
import { IconFile, IconX } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Capabilities } from '../../api/types.ts';
import { sizeWord } from '../../design/size-text.ts';
import { type MediaType, typeWord } from '../messages/message-text.ts';
import atoms from '../../design/atoms.module.css';
import classes from './chats.module.css';
import { sendableAs } from './draft.ts';

interface AttachedFileProps {
  file: File;
  as: MediaType | null;
  capabilities: Capabilities;
  /** From 0 to 1 during the upload. */
  progress: number | null;
  onAs: (as: MediaType) => void;
  onRemove: () => void;
}

export function AttachedFile({ file, as, capabilities, progress, onAs, onRemove }: AttachedFileProps) {
  const possible = sendableAs(capabilities, file);
  return (
    <div className={classes.attached}>
      <IconFile size={18} stroke={1.5} />
      <div className={atoms.rest}>
        <Text truncate>{file.name}</Text>
        {progress === null ? (
          <Text size="xs" c="dimmed">
            {sizeWord(file.size)}
          </Text>
        ) : (
          <Progress value={progress * 100} size="sm" aria-label={t('Upload progress')} mt={5} />
        )}
      </div>
      {possible.length > 1 && as !== null && (
        <NativeSelect
          size="xs"
          aria-label={t('Send as')}
          data={possible.map((value) => ({ value, label: typeWord(value) }))}
          value={as}
          onChange={({ currentTarget }) => onAs(currentTarget.value as MediaType)}
        />
      )}
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('Remove file')} onClick={onRemove}>
        <IconX size={15} />
      </ActionIcon>
    </div>
  );
}
