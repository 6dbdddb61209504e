/** Shows waiting notices; loaded with the first of them. */
import { Notifications, notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.layer.css';
import { useEffect, useSyncExternalStore } from 'react';
import { t } from '../copy/text.ts';
import { noticeStore } from '../design/notify.ts';

export default function Notices() {
  const waiting = useSyncExternalStore(noticeStore.subscribe, noticeStore.waiting);
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { tone, message } of noticeStore.take()) {
      notifications.show({
        message,
        withBorder: true,
        color: tone === 'done' ? 'sea' : 'red',
        autoClose: tone === 'done' ? 3500 : 8000,
        ...(tone === 'failed' && { title: t('Something went wrong') }),
      });
    }
  }, [waiting]);
  return <Notifications position="bottom-right" limit={4} />;
}
