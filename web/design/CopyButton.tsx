/** A small button that copies a text and says so. */
import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import { t } from '../copy/text.ts';
import { useCopy } from './use-copy.ts';

interface CopyButtonProps {
  text: string;
  /** Describes the copied text in the tooltip and for screen readers: "Copy ID". */
  label?: string;
  className?: string | undefined;
}

const ICONS = { idle: IconCopy, copied: IconCheck, failed: IconX };

export function CopyButton({ text, label = t('Copy'), className }: CopyButtonProps) {
  const { state, copy } = useCopy();
  const Icon = ICONS[state];
  const said = { idle: label, copied: t('Copied'), failed: t('Copying failed') }[state];
  return (
    <ActionIcon
      className={className}
      variant="subtle"
      color={state === 'copied' ? 'sea' : 'gray'}
      size="sm"
      aria-label={said}
      data-tip={said}
      onClick={(event) => {
        event.stopPropagation();
        event.preventDefault();
        void copy(text);
      }}
    >
      <Icon size={14} stroke={1.75} />
    </ActionIcon>
  );
}
