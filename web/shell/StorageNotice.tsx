/** Says to everybody that the server takes nothing new, what is full, and who can do what about it. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDatabaseExclamation } from '@tabler/icons-react';
import { serverStatusQuery } from '../api/server-status.ts';
import { RelativeTime } from '../ui/RelativeTime.tsx';
import ui from '../ui/ui.module.css';
import classes from './shell.module.css';

export function StorageNotice() {
  const { data } = useQuery(serverStatusQuery);
  if (data?.storage !== 'full') return null;
  return (
    <Alert
      color="red"
      variant="light"
      role="status"
      className={`${ui.problem} ${classes.notice}`}
      icon={<IconDatabaseExclamation size={16} />}
      title="The server takes nothing new"
    >
      <Text size="sm">
        {data.detail} Until its operator has made room, what is new is refused. Reading goes on, and so do
        deleting, canceling, disabling and revoking; short links lead on.
        {data.since && (
          <>
            {' '}
            It began <RelativeTime at={data.since} />.
          </>
        )}
      </Text>
    </Alert>
  );
}
