/** Shows the result of a connection test. */
import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { ChannelCheck } from '../../api/types.ts';
import ui from '../../design/ui.module.css';
import classes from './instances.module.css';

/** In a long form, the result can be out of sight. */
const reveal = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'center' });

export function CheckAnswer({ answer }: { answer: ChannelCheck }) {
  if (!answer.ok)
    return (
      <Alert
        ref={reveal}
        color="red"
        variant="light"
        className={ui.problem}
        role="alert"
        icon={<IconAlertTriangle size={16} />}
        title={t('Connection failed')}
      >
        <Text>{answer.error?.detail}</Text>
        <Text size="xs" mt={4} className={ui.mono}>
          {answer.error?.code}
        </Text>
      </Alert>
    );
  return (
    <Alert
      ref={reveal}
      color="sea"
      variant="light"
      className={classes.good}
      role="status"
      icon={<IconCheck size={16} />}
      title={answer.needs_pairing ? t('Ready to pair') : t('Connection successful')}
    >
      <Text>
        {answer.needs_pairing
          ? t('After you create the instance, scan or enter the code to pair the account.')
          : answer.address === null
            ? t('The channel accepted the credentials.')
            : t('Signed in as {address}.', { address: answer.address })}
      </Text>
    </Alert>
  );
}
