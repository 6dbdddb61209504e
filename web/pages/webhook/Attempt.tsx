/** One attempt of a delivery: what was sent besides the body, what came back, how long it took, what went wrong. */
import { Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { DeliveryAttempt } from '../../api/types.ts';
import { BodyText } from '../../ui/BodyText.tsx';
import { HeaderTable, headersOf } from '../../ui/HeaderTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { duration, isSuccess, outcomeOf } from './delivery-text.ts';
import classes from './webhook.module.css';

interface AttemptProps {
  attempt: DeliveryAttempt;
  /** Whether the reader may not see what the receiver answered. */
  hidden: boolean;
  /** Whether it is open at first. */
  opened: boolean;
}

export function Attempt({ attempt, hidden, opened: first }: AttemptProps) {
  const [opened, setOpened] = useState(first);
  const id = useId();
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  const { request, response, error } = attempt;
  return (
    <li className={classes.attempt}>
      <UnstyledButton
        className={classes.attemptHead}
        onClick={() => setOpened(!opened)}
        aria-expanded={opened}
        aria-controls={id}
      >
        <Chevron size={14} />
        <span className={classes.attemptNumber}>#{attempt.number}</span>
        <StateDot tone={isSuccess(attempt) ? 'good' : 'bad'}>{outcomeOf(attempt)}</StateDot>
        <span className={classes.attemptTime}>
          {duration(attempt.duration_ms)} · <RelativeTime at={attempt.started_at} />
        </span>
      </UnstyledButton>
      <div id={id} hidden={!opened}>
        {opened && (
          <Stack gap="xs" className={classes.attemptBody}>
            {error && (
              <Text className={classes.fault}>
                {response === null && <span className={ui.mono}>{error.code} </span>}
                {error.detail}
              </Text>
            )}
            {response && (
              <>
                <Part title="Answer" note={answerNote(response)} />
                {hidden || response.body === null ? (
                  <Text c="dimmed">Your scopes don't let you read what the receiver answered.</Text>
                ) : response.body === '' ? (
                  <Text c="dimmed">It had no body.</Text>
                ) : (
                  <BodyText text={response.body} label="Copy the answer" />
                )}
                <HeaderTable label="Answer headers" headers={headersOf(response.headers)} />
              </>
            )}
            <Part title="Request" note={attempt.remote_address ? `to ${attempt.remote_address}` : ''} />
            <Text className={`${ui.mono} ${classes.breaks}`}>
              {request.method} {request.url}
            </Text>
            <HeaderTable label="Request headers" headers={headersOf(request.headers)} />
          </Stack>
        )}
      </div>
    </li>
  );
}

function answerNote({ truncated, body_is_utf8: utf8 }: NonNullable<DeliveryAttempt['response']>): string {
  return [truncated && 'the first 4 KiB', !utf8 && 'not all of it is text'].filter(Boolean).join(', ');
}

function Part({ title, note }: { title: string; note: string }) {
  return (
    <Text fw={500} mt={2}>
      {title}{' '}
      {note && (
        <Text span size="xs" c="dimmed" fw={400}>
          {note}
        </Text>
      )}
    </Text>
  );
}
