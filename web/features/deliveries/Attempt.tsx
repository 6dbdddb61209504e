/** One delivery attempt: its request, response, duration, and error. */
import { Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { DeliveryAttempt } from '../../api/types.ts';
import { BodyText } from '../../design/BodyText.tsx';
import { HeaderTable, getHeaders } from '../../design/HeaderTable.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { formatDuration } from '../../design/duration-text.ts';
import { isSuccess, attemptOutcome } from './delivery-text.ts';
import classes from './deliveries.module.css';

interface AttemptProps {
  attempt: DeliveryAttempt;
  /** Whether the user may not read the response. */
  hidden: boolean;
  /** Whether the details are expanded initially. */
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
        className={`${classes.attemptHead} ${atoms.hoverable}`}
        onClick={() => setOpened(!opened)}
        aria-expanded={opened}
        aria-controls={id}
      >
        <Chevron size={14} />
        <span className={classes.attemptNumber}>#{attempt.number}</span>
        <StateDot tone={isSuccess(attempt) ? 'good' : 'bad'}>{attemptOutcome(attempt)}</StateDot>
        <span className={classes.attemptTime}>
          {formatDuration(attempt.duration_ms)} · <RelativeTime at={attempt.started_at} />
        </span>
      </UnstyledButton>
      <div id={id} hidden={!opened}>
        {opened && (
          <Stack gap="xs" className={classes.attemptBody}>
            {error && (
              <Text className={atoms.fault}>
                {response === null && <span className={ui.mono}>{error.code} </span>}
                {error.detail}
              </Text>
            )}
            {response && (
              <>
                <Part title={t('Response')} note={responseNote(response)} />
                {hidden || response.body === null ? (
                  <Text c="dimmed">{t("You don't have permission to read this response.")}</Text>
                ) : response.body === '' ? (
                  <Text c="dimmed">{t('The response body is empty.')}</Text>
                ) : (
                  <BodyText text={response.body} label={t('Copy response')} />
                )}
                <HeaderTable label={t('Response headers')} headers={getHeaders(response.headers)} />
              </>
            )}
            <Part
              title={t('Request')}
              note={attempt.remote_address ? t('to {address}', { address: attempt.remote_address }) : ''}
            />
            <Text className={`${ui.mono} ${atoms.breaks}`}>
              {request.method} {request.url}
            </Text>
            <HeaderTable label={t('Request headers')} headers={getHeaders(request.headers)} />
          </Stack>
        )}
      </div>
    </li>
  );
}

function responseNote({ truncated, body_is_utf8: utf8 }: NonNullable<DeliveryAttempt['response']>): string {
  if (truncated) return utf8 ? t('first 4 KiB') : t('first 4 KiB, not valid UTF-8');
  return utf8 ? '' : t('not valid UTF-8');
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
