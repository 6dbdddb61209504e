/** Shows the server's error message, with the request ID for support. */
import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { rich, t } from '../copy/text.ts';
import { ApiProblem, type Fault } from '../api/problem.ts';
import { RelativeTime } from '../design/RelativeTime.tsx';
import { getFieldName } from './field-errors.ts';
import classes from '../design/ui.module.css';

interface ProblemAlertProps {
  error: unknown;
  /** Faults to list; by default all of the problem. */
  faults?: Fault[];
  action?: React.ReactNode;
}

/** A sentence for any thrown value. */
const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : t('Something went wrong');

/** The ID of the failed request, for support. */
export function RequestId({ id }: { id: string | null }) {
  if (id === null) return null;
  return (
    <Text size="xs" mt={4}>
      {rich(
        'Request ID: <id>{id}</id>',
        { id: (words) => <span className={classes.mono}>{words}</span> },
        { id },
      )}
    </Text>
  );
}

export function ProblemAlert({ error, faults, action }: ProblemAlertProps) {
  const problem = error instanceof ApiProblem ? error : null;
  const listed = faults ?? problem?.faults ?? [];
  return (
    <Alert
      color="red"
      variant="light"
      className={classes.problem}
      role="alert"
      icon={<IconAlertTriangle size={16} />}
      title={problem?.title ?? t('Something went wrong')}
    >
      <Text size="sm">{getMessage(error)}</Text>
      {listed.map((fault) => (
        <Text key={fault.pointer + fault.code} size="sm">
          <b>{getFieldName(fault.pointer)}</b> {fault.detail}
        </Text>
      ))}
      {problem?.resetsAt && (
        <Text size="sm" mt={4}>
          {rich('The budget resets <time>then</time>.', {
            time: () => <RelativeTime at={problem.resetsAt} />,
          })}
        </Text>
      )}
      {/* The message says what to correct; a request ID would only distract. */}
      {listed.length === 0 && <RequestId id={problem?.requestId ?? null} />}
      {action}
    </Alert>
  );
}
