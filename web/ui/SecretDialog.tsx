/**
 * Shows a secret once. Nothing but its own button closes it: no click beside it, no Escape, and leaving the page
 * asks first.
 */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useCopy } from './use-copy.ts';
import classes from './ui.module.css';

interface SecretDialogProps {
  /** Null keeps the dialog closed. */
  secret: string | null;
  title: string;
  /** What it is, for the buttons. */
  what?: string;
  explanation?: string;
  onDone: () => void;
  children?: React.ReactNode;
}

export function SecretDialog({ secret, title, ...rest }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={() => undefined}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {secret !== null && <Secret key={secret} secret={secret} {...rest} />}
    </Modal>
  );
}

function Secret({
  secret,
  what = 'secret',
  explanation = 'Copy the secret and store it safely. It is shown this once: nobody can read it again.',
  onDone,
  children,
}: Omit<SecretDialogProps, 'title'> & { secret: string }) {
  const { state, copy } = useCopy();
  const [taken, setTaken] = useState(false);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
  return (
    <Stack>
      <Text>{explanation}</Text>
      <div className={classes.secret} onCopy={() => setTaken(true)}>
        {secret}
      </div>
      {children}
      <Group justify="space-between">
        <Button
          data-autofocus
          leftSection={state === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={() => {
            setTaken(true);
            void copy(secret);
          }}
        >
          {{ copied: 'Copied', failed: 'Select and copy it', idle: `Copy ${what}` }[state]}
        </Button>
        <Button
          variant={taken ? 'default' : 'subtle'}
          color="gray"
          onClick={() => (taken || asked ? onDone() : setAsked(true))}
        >
          {taken ? 'I have stored it' : asked ? 'Close without copying' : 'Done'}
        </Button>
      </Group>
      {asked && !taken && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The {what} has not been copied yet.
        </Text>
      )}
    </Stack>
  );
}
