/** The messages that the sample would produce for each destination, or the errors that prevent them. */
import { Loader, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { rich, t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EndpointTrialAnswer, Instance } from '../../api/types.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { MessagePreview } from '../publications/MessagePreview.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import type { DestinationForm } from './editor-form.ts';
import { emptyValues } from './empty-values.ts';
import { errorText } from './use-editor.ts';
import type { Trial } from './use-trial.ts';

interface PreviewPaneProps {
  trial: Trial;
  instances: readonly Instance[];
  /** The destinations as currently edited. */
  destinations: readonly DestinationForm[];
  /** Errors of the trial and of the last attempt to save. */
  faults: readonly Fault[];
  /** Of the sample. */
  payload: unknown;
}

export function PreviewPane({ trial, instances, destinations, faults, payload }: PreviewPaneProps) {
  const { answer, error, pending } = trial;
  const isInvalid = error instanceof ApiProblem && error.faults.length > 0;
  const empty = emptyValues(
    destinations.flatMap(({ template, subject }) => [template, subject]),
    payload,
  );
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{t('Preview')}</h2>
        {pending && <Loader size={12} role="img" aria-label={t('Rendering')} />}
      </div>
      {error !== null && !isInvalid && <ProblemAlert error={error} />}
      {answer && <Verdict answer={answer} empty={empty} />}
      {answer?.question && <Prompt question={answer.question} />}
      <ol className={classes.previews} aria-label={t('Preview')} data-stale={pending || undefined}>
        {destinations.map(({ key, instance_id: instanceId }, index) => {
          const message = answer?.destinations[index]?.message;
          return (
            <li key={key}>
              <div className={classes.previewHead}>
                <span className={classes.number}>{index + 1}</span>
                <strong dir="auto">
                  {instances.find(({ id }) => id === instanceId)?.name ?? t('No instance')}
                </strong>
                {typeof message?.['to'] === 'string' && (
                  <span className={classes.to} dir="auto">
                    → {message['to']}
                  </span>
                )}
              </div>
              <MessagePreview message={message} />
              <Faults faults={faults} pointer={`/destinations/${index}`} />
            </li>
          );
        })}
      </ol>
    </>
  );
}

const OUTCOMES = {
  published: ['good', t('Would be published immediately')],
  partially_published: ['warn', t('Would be published to some destinations')],
  scheduled: ['live', t('Would be scheduled')],
  filtered: ['idle', t("The filter doesn't match")],
  rejected: ['bad', t('Rejected: the sender gets a 422 response')],
} as const;

const UNFINISHED = ['idle', t('Required fields are missing')] as const;

/** The outcome of the trial: whether and when the sample is published, its dedupe key, and what is empty in the messages. */
function Verdict({ answer, empty }: { answer: EndpointTrialAnswer; empty: readonly string[] }) {
  const { outcome, scheduled_at: at, dedupe_key: key } = answer;
  const errors = [...answer.errors, ...answer.destinations.flatMap((destination) => destination.errors)];
  const unfinished =
    outcome === 'rejected' && errors.length > 0 && errors.every(({ code }) => code === 'required');
  const [tone, label] = unfinished ? UNFINISHED : OUTCOMES[outcome];
  const isPublished = outcome === 'published' || outcome === 'scheduled';
  const warnings = isPublished ? empty : [];
  const hasTime = outcome === 'scheduled' || outcome === 'partially_published';
  return (
    <div className={classes.verdict} role="status">
      <StateDot tone={warnings.length > 0 ? 'warn' : tone}>
        <span>
          {label} {hasTime && at !== null && <RelativeTime at={at} />}
        </span>
      </StateDot>
      {hasTime && at !== null && (
        <Text size="xs" c="dimmed">
          {exactTime(at)}
        </Text>
      )}
      {warnings.map((path) => (
        <Text key={path} size="xs" className={classes.breaks}>
          {rich(
            '<path>{path}</path> is empty in this sample.',
            { path: (words) => <span className={ui.mono}>{words}</span> },
            { path },
          )}
        </Text>
      ))}
      {key !== null && (
        <Text size="xs" c="dimmed" className={classes.breaks}>
          {rich(
            'Dedupe key: <key>{key}</key>',
            { key: (words) => <span className={ui.mono}>{words}</span> },
            { key },
          )}
        </Text>
      )}
    </div>
  );
}

/** What the model would be asked. */
function Prompt({ question }: { question: NonNullable<EndpointTrialAnswer['question']> }) {
  return (
    <div className={classes.verdict}>
      <Text size="xs" c="dimmed">
        {t('Prompt for {model}. A test calls no model: the response is a sample.', { model: question.model })}
      </Text>
      <Text size="sm" className={classes.breaks} dir="auto">
        {question.prompt}
      </Text>
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
              errorText(fault)
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
