import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { t } from '../copy/text.ts';
import { curlFor, type CallExample } from '../api/curl.ts';
import { CodeBlock } from '../design/CodeBlock.tsx';
import classes from '../design/ui.module.css';

interface AsCurlProps {
  call?: CallExample | readonly CallExample[];
  /** The command, where it is more than calls. */
  text?: string;
  /** Set if another command is shown next to it. */
  label?: string;
}

/** The API call (or calls, one after the other) behind a form or a list, behind a small switch. */
export function AsCurl({ call, text, label = t('cURL') }: AsCurlProps) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton
        className={classes.curlToggle}
        onClick={() => setOpened(!opened)}
        aria-expanded={opened}
        aria-controls={id}
      >
        <Chevron size={14} />
        {label}
      </UnstyledButton>
      <div id={id} className={classes.curlBody} hidden={!opened}>
        {opened && (
          <CodeBlock
            text={
              text ??
              [call ?? []]
                .flat()
                .map((one) => curlFor(one))
                .join('\n\n')
            }
            label={t('Copy cURL')}
            maxHeight={220}
          />
        )}
      </div>
    </div>
  );
}
