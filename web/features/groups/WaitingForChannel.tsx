import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';

/** Shown until the channel responds. */
export function WaitingForChannel() {
  return (
    <Text c="dimmed" size="xs" role="status">
      {t('Waiting for the channel. You can close this; the request continues.')}
    </Text>
  );
}
