/** Covers a page with unsaved changes whose session has ended, until the same user has signed in again. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../api/auth.ts';
import { t } from '../copy/text.ts';

interface SessionEndedProps {
  /** Called when the same person is signed in again. */
  onResume: () => void;
  /** Called to leave the page and discard its unsaved changes. */
  onLeave: () => void;
}

const CHECK_MS = 2000;
/** Above every dialog with a form. */
const Z_INDEX = 500;

export function SessionEnded({ onResume, onLeave }: SessionEndedProps) {
  const client = useQueryClient();
  const before = client.getQueryData(sessionQuery.queryKey);
  // Uses its own query key: routes redirect to sign-in as soon as the session's query is null.
  const { data: now } = useQuery({
    ...sessionQuery,
    queryKey: ['session-again'],
    staleTime: 0,
    gcTime: 0,
    refetchInterval: CHECK_MS,
  });
  useEffect(() => {
    if (!now) return;
    if (now.id === before?.id) onResume();
    else onLeave();
  }, [now, before, onResume, onLeave]);
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t('Your session has ended')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={Z_INDEX}
    >
      <Stack>
        <Text>{t('Sign in again in a new tab, then come back. Your changes stay on this page.')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onLeave}>
            {t('Discard changes')}
          </Button>
          <Button component="a" href="/user/api/sign-in" target="_blank" data-autofocus>
            {t('Sign in')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
