/** Shows a notice while the server can't be reached, or its storage is full. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDatabaseExclamation, IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { onWaiting } from '../api/import-or-wait.ts';
import { serverStatusQuery } from '../api/server-status.ts';
import { rich, t } from '../copy/text.ts';
import { RelativeTime } from '../design/RelativeTime.tsx';
import ui from '../design/ui.module.css';
import classes from './shell.module.css';

export function ServerNotice() {
  const [unreachable, setUnreachable] = useState(false);
  useEffect(() => onWaiting(setUnreachable), []);
  const { data } = useQuery(serverStatusQuery);
  return (
    <>
      {unreachable && (
        <Alert
          color="yellow"
          variant="light"
          role="status"
          className={`${ui.notice} ${classes.notice}`}
          icon={<IconPlugConnectedX size={16} />}
          title={t("Can't reach the server")}
        >
          <Text size="sm">
            {t('Check your connection. We keep trying, and continue when the server responds.')}
          </Text>
        </Alert>
      )}
      {data?.storage === 'full' && (
        <Alert
          color="red"
          variant="light"
          role="status"
          className={`${ui.problem} ${classes.notice}`}
          icon={<IconDatabaseExclamation size={16} />}
          title={t('Storage is full')}
        >
          <Text size="sm">
            {data.detail}{' '}
            {t(
              'New data is rejected until the operator frees space. You can still read, delete, disable and revoke, and short links keep redirecting.',
            )}{' '}
            {data.since &&
              rich('Storage became full <time>then</time>.', {
                time: () => <RelativeTime at={data.since} />,
              })}
          </Text>
        </Alert>
      )}
    </>
  );
}
