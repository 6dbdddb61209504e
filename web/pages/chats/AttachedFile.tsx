/** The file that goes with the message that is written, and what it is sent as. */
import { ActionIcon, NativeSelect, Progress, Text } from '@mantine/core';
import { IconFile, IconX } from '@tabler/icons-react';
import type { Capabilities } from '../../api/types.ts';
import { type MediaType, sizeWord, typeWord } from './chat-text.ts';
import classes from './chats.module.css';
import { sendableAs } from './draft.ts';

interface AttachedFileProps {
  file: File;
  as: MediaType | null;
  capabilities: Capabilities;
  /** From 0 to 1 while it is on its way. */
  progress: number | null;
  onAs: (as: MediaType) => void;
  onRemove: () => void;
}

export function AttachedFile({ file, as, capabilities, progress, onAs, onRemove }: AttachedFileProps) {
  const possible = sendableAs(capabilities, file);
  return (
    <div className={classes.attached}>
      <IconFile size={18} stroke={1.5} />
      <div className={classes.attachedName}>
        <Text truncate>{file.name}</Text>
        {progress === null ? (
          <Text size="xs" c="dimmed">
            {sizeWord(file.size)}
          </Text>
        ) : (
          <Progress value={progress * 100} size="sm" aria-label="Uploaded" mt={5} />
        )}
      </div>
      {possible.length > 1 && as !== null && (
        <NativeSelect
          size="xs"
          aria-label="Send as"
          data={possible.map((value) => ({ value, label: typeWord(value) }))}
          value={as}
          onChange={({ currentTarget }) => onAs(currentTarget.value as MediaType)}
        />
      )}
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Remove the file" onClick={onRemove}>
        <IconX size={15} />
      </ActionIcon>
    </div>
  );
}
