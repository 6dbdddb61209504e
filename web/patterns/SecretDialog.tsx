/**
 * Shows a secret once. Nothing but its own button closes it: no click beside it, no Escape. Back and Ctrl-K are as its
 * button, and leaving the console asks first.
 */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../copy/text.ts';
import { useCopy } from '../design/use-copy.ts';
import classes from '../design/ui.module.css';
import { useBackCloses } from './use-back-closes.ts';

interface SecretDialogProps {
  /** Null keeps the dialog closed. */
  secret: string | null;
  title: string;
  /** The kind of secret, for the buttons. */
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
  what = t('secret'),
  explanation = t("Copy the secret and store it in a safe place. You won't be able to see it again."),
  onDone,
  children,
}: Omit<SecretDialogProps, 'title'> & { secret: string }) {
  const { state, copy } = useCopy();
  const [taken, setTaken] = useState(false);
  const [asked, setAsked] = useState(false);
  const done = () => (taken || asked ? onDone() : setAsked(true));
  useBackCloses(true, done);
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action === 'BACK' || action === 'REPLACE' || taken || asked) return false;
      setAsked(true);
      return true;
    },
  });
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
          {{ copied: t('Copied'), failed: t('Select and copy it'), idle: t('Copy {what}', { what }) }[state]}
        </Button>
        <Button variant="default" onClick={done}>
          {asked && !taken ? t('Close without copying') : t('Done')}
        </Button>
      </Group>
      {asked && !taken && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t("You haven't copied the {what} yet.", { what })}
        </Text>
      )}
    </Stack>
  );
}
