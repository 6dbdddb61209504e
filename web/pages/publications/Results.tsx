/** What became of each destination of a publication: its message, its tries, its faults, and when it is tried again. */
import { Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { instancesQuery } from '../../api/instances.ts';
import type { PublicationDetail, PublicationResult } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { MessageLink } from './MessageLink.tsx';
import { MessageOf } from './MessageOf.tsx';
import { resultTone } from './publication-text.ts';
import classes from './publications.module.css';

export function Results({ publication }: { publication: PublicationDetail }) {
  const { workspace } = useWorkspace();
  const reads = useCan('instances:read');
  const { data: instances } = useInfiniteQuery({ ...instancesQuery(workspace.id), enabled: reads });
  const { results, messages } = publication;
  const nameOf = (id: string) => instances?.find((one) => one.id === id)?.name ?? `ins_…${id.slice(-6)}`;
  const count = results.length || messages.length;
  if (count === 0) return null;
  return (
    <div>
      <Title order={3} mb={6}>
        {count === 1 ? 'Destination' : `${count} destinations`}
      </Title>
      <ol className={classes.results} aria-label="Destinations">
        {results.map((result) => (
          <li key={result.destination}>
            <Head result={result} name={nameOf(result.instance_id)} />
            <MessageOf message={messages[result.destination]} />
            <Outcome result={result} />
          </li>
        ))}
        {results.length === 0 &&
          messages.map((message, nth) => (
            // oxlint-disable-next-line react/no-array-index-key -- a destination is its place
            <li key={nth}>
              <MessageOf message={message} />
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
        → {result.to ?? <i>erased contact</i>}
      </span>
      <StateDot tone={resultTone(result)}>{result.status}</StateDot>
    </div>
  );
}

function Outcome({ result }: { result: PublicationResult }) {
  const { error, attempts, next_attempt_at: next, message_id: messageId, status } = result;
  return (
    <>
      {error && (
        <div className={classes.fault}>
          <span className={ui.mono}>{error.code}</span> {error.detail}
        </div>
      )}
      <Text size="xs" c="dimmed" component="div" className={classes.resultFoot}>
        <span>
          {attempts === 1 ? '1 try' : `${attempts} tries`}, <RelativeTime at={result.updated_at} />
        </span>
        {next !== null && (
          <span>
            tried again <RelativeTime at={next} />
          </span>
        )}
        {next === null && status === 'failed' && <span>not tried again by itself</span>}
        {messageId !== null && <MessageLink id={messageId} />}
      </Text>
    </>
  );
}
