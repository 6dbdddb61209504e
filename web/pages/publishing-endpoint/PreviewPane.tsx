/** What would be published of the sample: for each destination the message as it will look, or why there is none. */
import { Loader, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Fault } from '../../api/problem.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EndpointTrialAnswer, Instance } from '../../api/types.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import { exactTime } from '../../ui/time.ts';
import ui from '../../ui/ui.module.css';
import { MessageOf } from '../publications/MessageOf.tsx';
import classes from './editor.module.css';
import type { DestinationForm } from './editor-form.ts';
import { wordsOf } from './use-editor.ts';
import type { Trial } from './use-trial.ts';

interface PreviewPaneProps {
  trial: Trial;
  instances: readonly Instance[];
  /** As they are written now. */
  destinations: readonly DestinationForm[];
  /** Faults of the answer, and of the last try to save it. */
  faults: readonly Fault[];
}

export function PreviewPane({ trial, instances, destinations, faults }: PreviewPaneProps) {
  const { answer, error, pending } = trial;
  const isShape = error instanceof ApiProblem && error.faults.length > 0;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>What is sent</h2>
        {pending && <Loader size={12} aria-label="Rendering" />}
      </div>
      {error !== null && !isShape && <ProblemAlert error={error} />}
      {answer && <Verdict answer={answer} />}
      <ol className={classes.previews} aria-label="What is sent" data-stale={pending || undefined}>
        {destinations.map(({ key, instance_id: instanceId }, place) => {
          const message = answer?.destinations[place]?.message;
          return (
            <li key={key}>
              <div className={classes.previewHead}>
                <span className={classes.number}>{place + 1}</span>
                <strong dir="auto">
                  {instances.find(({ id }) => id === instanceId)?.name ?? 'No channel'}
                </strong>
                {typeof message?.['to'] === 'string' && (
                  <span className={classes.to} dir="auto">
                    → {message['to']}
                  </span>
                )}
              </div>
              <MessageOf message={message} />
              <Faults faults={faults} pointer={`/destinations/${place}`} />
            </li>
          );
        })}
      </ol>
    </>
  );
}

const OUTCOMES = {
  published: ['good', 'Published at once'],
  partially_published: ['warn', 'Published to some of them'],
  scheduled: ['live', 'Published'],
  filtered: ['idle', 'The filter holds it back'],
  rejected: ['bad', 'Refused: its sender is answered 422'],
} as const;

const UNFINISHED = ['idle', 'Something is still to be filled in'] as const;

/** Whether it is published at all, when, and what it counts as. */
function Verdict({ answer }: { answer: EndpointTrialAnswer }) {
  const { outcome, scheduled_at: at, dedupe_key: key } = answer;
  const wrong = [...answer.errors, ...answer.destinations.flatMap(({ errors }) => errors)];
  const unfinished =
    outcome === 'rejected' && wrong.length > 0 && wrong.every(({ code }) => code === 'required');
  const [tone, said] = unfinished ? UNFINISHED : OUTCOMES[outcome];
  const isLater = outcome === 'scheduled' || outcome === 'partially_published';
  return (
    <div className={classes.verdict} role="status">
      <StateDot tone={tone}>
        <span>
          {said} {isLater && at !== null && <RelativeTime at={at} />}
        </span>
      </StateDot>
      {isLater && at !== null && (
        <Text size="xs" c="dimmed">
          {exactTime(at)}
        </Text>
      )}
      {key !== null && (
        <Text size="xs" c="dimmed" className={classes.breaks}>
          Dedupe key <span className={ui.mono}>{key}</span>
        </Text>
      )}
    </div>
  );
}

function Faults({ faults, pointer }: { faults: readonly Fault[]; pointer: string }) {
  const own = faults.filter((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
  if (own.length === 0) return null;
  return (
    <ul className={classes.faults}>
      {own.map((fault) => (
        <li key={fault.pointer + fault.code + fault.detail}>
          <IconAlertTriangle size={14} aria-hidden />
          <span>
            {fault.code === 'required' && fault.pointer.endsWith('/to') ? (
              wordsOf(fault)
            ) : (
              <>
                <span className={ui.mono}>{fault.pointer.slice(pointer.length + 1)}</span> {fault.detail}
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
