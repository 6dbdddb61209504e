/** What became of a check of settings and credentials. */
import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ChannelCheck } from '../../api/types.ts';
import ui from '../../ui/ui.module.css';
import classes from './channels.module.css';

export function CheckAnswer({ answer }: { answer: ChannelCheck }) {
  if (!answer.ok)
    return (
      <Alert
        color="red"
        variant="light"
        className={ui.problem}
        role="alert"
        icon={<IconAlertTriangle size={16} />}
        title="No connection came about"
      >
        <Text>{answer.error?.detail}</Text>
        <Text size="xs" mt={4} className={ui.mono}>
          {answer.error?.code}
        </Text>
      </Alert>
    );
  return (
    <Alert
      color="sea"
      variant="light"
      className={classes.good}
      role="status"
      icon={<IconCheck size={16} />}
      title={answer.needs_pairing ? 'The channel answers' : 'A connection came about'}
    >
      <Text>
        {answer.needs_pairing
          ? 'The account is paired once you connect: a code will be shown to scan or type.'
          : answer.address === null
            ? 'The channel took the credentials.'
            : `The account is ${answer.address}.`}
      </Text>
    </Alert>
  );
}
