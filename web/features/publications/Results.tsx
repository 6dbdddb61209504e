/** The result of each destination: message, attempts, error, and next attempt. */
import { Text, Title } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { plural, rich, t } from '../../copy/text.ts';
import { useInstances } from '../../api/instances.ts';
import type { PublicationDetail, PublicationResult } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { MessageLink } from './MessageLink.tsx';
import { MessagePreview } from './MessagePreview.tsx';
import { resultLabel, resultTone } from './publication-text.ts';
import classes from './publications.module.css';

export function Results({ publication }: { publication: PublicationDetail }) {
  const { workspace } = useWorkspace();
  const reads = useCan('instances:read');
  const { results, messages } = publication;
  const ids = [...results, ...messages]
    .map((one) => one['instance_id'])
    .filter((id) => typeof id === 'string');
  const { data: instances } = useInstances(workspace.id, ids, { enabled: reads });
  const getName = (id: string) => instances?.find((one) => one.id === id)?.name ?? `ins_…${id.slice(-6)}`;
  const count = results.length || messages.length;
  if (count === 0) return null;
  return (
    <div>
      <Title order={3} mb={6}>
        {plural(count, { one: '{count} destination', other: '{count} destinations' })}
      </Title>
      <ol className={`${classes.results} ${atoms.framedList}`} aria-label={t('Destinations')}>
        {results.map((result) => (
          <li key={result.destination}>
            <Head result={result} name={getName(result.instance_id)} />
            <MessagePreview message={messages[result.destination]} />
            <Outcome result={result} />
          </li>
        ))}
        {results.length === 0 &&
          messages.map((message, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- destinations have no other identity
            <li key={index}>
              <MessagePreview message={message} />
            </li>
          ))}
      </ol>
    </div>
  );
}

function Head({ result, name }: { result: PublicationResult; name: string }) {
  return (
    <div className={classes.resultHead}>
      <strong dir="auto">{name}</strong>
      <span className={classes.resultTo} dir="auto">
        → {result.to ?? <i>{t('Erased contact')}</i>}
      </span>
      <StateDot tone={resultTone(result)}>{resultLabel(result)}</StateDot>
    </div>
  );
}

function Outcome({ result }: { result: PublicationResult }) {
  const { error, attempts, next_attempt_at: next, message_id: messageId, status } = result;
  return (
    <>
      {error && (
        <div className={atoms.fault}>
          <span className={ui.mono}>{error.code}</span> {error.detail}
        </div>
      )}
      <Text size="xs" c="dimmed" component="div" className={classes.resultFoot}>
        <span>
          {plural(attempts, { one: '{count} attempt', other: '{count} attempts' })} ·{' '}
          <RelativeTime at={result.updated_at} />
        </span>
        {next !== null && (
          <span>{rich('next attempt <time>then</time>', { time: () => <RelativeTime at={next} /> })}</span>
        )}
        {next === null && status === 'failed' && <span>{t('not retried automatically')}</span>}
        {messageId !== null && <MessageLink id={messageId} />}
      </Text>
    </>
  );
}
