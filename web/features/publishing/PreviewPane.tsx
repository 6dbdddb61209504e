/** The messages that the sample would produce for each destination, or the errors that prevent them. */
import { Loader, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { rich, t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EndpointTrialAnswer, Instance } from '../../api/types.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { exactTime } from '../../design/time.ts';
import { TONES } from '../../design/tone.ts';
import ui from '../../design/ui.module.css';
import { MessagePreview } from '../publications/MessagePreview.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { emptyVariables } from '../../patterns/workbench/empty-variables.ts';
import { getFieldLabel, getFieldLabels } from '../../patterns/workbench/field-labels.ts';
import type { Scope } from '../../patterns/workbench/liquid-completion.ts';
import { type DestinationForm, takesFile } from './editor-form.ts';
import type { Trial } from './use-trial.ts';

interface PreviewPaneProps {
  trial: Trial;
  instances: readonly Instance[];
  /** The destinations as currently edited. */
  destinations: readonly DestinationForm[];
  /** Errors of the trial and of the last attempt to save. */
  faults: readonly Fault[];
  /** The sample's variables. */
  scope: Scope;
}

/** Returns the variables that leave a gap in a destination's message, since the sample has none or an empty one. */
const getGaps = (one: DestinationForm, scope: Scope): string[] => {
  const address = one.recipient === 'to' ? one.to : '';
  const file = takesFile(one.type) ? [one.media, one.file_name] : [];
  return emptyVariables([address, one.subject, ...file, one.template].join('\n'), scope);
};

export function PreviewPane({ trial, instances, destinations, faults, scope }: PreviewPaneProps) {
  const { answer, error, pending } = trial;
  const isInvalid = error instanceof ApiProblem && error.faults.length > 0;
  const gaps = destinations.map((destination) => getGaps(destination, scope));
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{t('Preview')}</h2>
        {pending && <Loader size={12} role="img" aria-label={t('Rendering')} />}
      </div>
      {error !== null && !isInvalid && <ProblemAlert error={error} />}
      {answer && <Verdict answer={answer} hasGaps={gaps.some(({ length }) => length > 0)} />}
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
              {message && <Gaps names={gaps[index] ?? []} />}
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

/** The outcome of the trial: whether and when the sample is published, and its dedupe key. */
function Verdict({ answer, hasGaps }: { answer: EndpointTrialAnswer; hasGaps: boolean }) {
  const { outcome, scheduled_at: at, dedupe_key: key } = answer;
  const errors = [...answer.errors, ...answer.destinations.flatMap((destination) => destination.errors)];
  const unfinished =
    outcome === 'rejected' && errors.length > 0 && errors.every(({ code }) => code === 'required');
  const [tone, label] = unfinished
    ? ([
        'idle',
        t('Fill in these fields to test the endpoint: {fields}', {
          fields: getFieldLabels(errors).join(', '),
        }),
      ] as const)
    : OUTCOMES[outcome];
  const hasTime = outcome === 'scheduled' || outcome === 'partially_published';
  return (
    <div className={classes.verdict} role="status">
      <StateDot tone={hasGaps && tone === 'good' ? 'warn' : tone}>
        <span>
          {label} {hasTime && at !== null && <RelativeTime at={at} />}
        </span>
      </StateDot>
      {hasTime && at !== null && (
        <Text size="xs" c="dimmed">
          {exactTime(at)}
        </Text>
      )}
      {key !== null && (
        <Text size="xs" c="dimmed" className={atoms.breaks}>
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

/** The prompt that the model would receive. */
function Prompt({ question }: { question: NonNullable<EndpointTrialAnswer['question']> }) {
  return (
    <div className={classes.verdict}>
      <Text size="xs" c="dimmed">
        {t('Prompt for {model}. A test calls no model: the response is a sample.', { model: question.model })}
      </Text>
      <Text size="sm" className={atoms.breaks} dir="auto">
        {question.prompt}
      </Text>
    </div>
  );
}

function Gaps({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <ul className={classes.faults} data-warn>
      {names.map((name) => (
        <li key={name}>
          <IconAlertTriangle size={14} color={TONES.warn} aria-hidden />
          <span>
            {rich(
              '<code>{name}</code> is empty in this sample.',
              { code: (words) => <span className={ui.mono}>{words}</span> },
              { name },
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Faults({ faults, pointer }: { faults: readonly Fault[]; pointer: string }) {
  // Missing fields are reported above, and next to the field.
  const own = faults.filter((fault) => fault.code !== 'required' && fault.pointer.startsWith(`${pointer}/`));
  if (own.length === 0) return null;
  return (
    <ul className={classes.faults}>
      {own.map((fault) => (
        <li key={fault.pointer + fault.code + fault.detail}>
          <IconAlertTriangle size={14} aria-hidden />
          <span>
            {getFieldLabel(fault) ?? (
              <span className={ui.mono}>{fault.pointer.slice(pointer.length + 1)}</span>
            )}{' '}
            {fault.detail}
          </span>
        </li>
      ))}
    </ul>
  );
}
