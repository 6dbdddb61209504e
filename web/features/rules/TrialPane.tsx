/** The test result of a rule: what each action would do for the chosen event, or why it would fail. */
import { Loader, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { plural, rich, t } from '../../copy/text.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { JsonView } from '../../design/JsonView.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { MessagePreview } from '../publications/MessagePreview.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { ACTION_LABELS } from './rule-text.ts';
import type { RuleTrialState } from './use-rule-trial.ts';

type Step = RuleTrialAnswer['steps'][number];

interface TrialPaneProps {
  trial: RuleTrialState;
  /** Errors that the rule's fields show. */
  faultCount: number;
  /** Labels of required fields that are blank. */
  missing: readonly string[];
}

export function TrialPane({ trial, faultCount, missing }: TrialPaneProps) {
  const { answer, error, pending } = trial;
  const isInvalid = error instanceof ApiProblem && error.faults.length > 0;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{t('Test result')}</h2>
        {pending && <Loader size={12} role="img" aria-label={t('Testing')} />}
      </div>
      {error !== null && !isInvalid && <ProblemAlert error={error} />}
      {isInvalid && (
        <div className={classes.verdict} role="status">
          <StateDot tone={faultCount === 0 ? 'idle' : 'warn'}>
            <span>
              {faultCount === 0
                ? missing.length > 0
                  ? t('Fill in these fields to test the rule: {fields}', { fields: missing.join(', ') })
                  : t('Required fields are missing')
                : plural(faultCount, {
                    one: 'Fix {count} invalid field.',
                    other: 'Fix {count} invalid fields.',
                  })}
            </span>
          </StateDot>
        </div>
      )}
      {!answer && error === null && !pending && (
        <Text c="dimmed">{t('Choose a trigger and an action to test this rule.')}</Text>
      )}
      {answer && <Verdict answer={answer} />}
      {answer && (
        <ol
          className={classes.previews}
          aria-label={t('Test result')}
          data-stale={pending || !answer.matches || undefined}
        >
          {answer.steps.map((step, index) => (
            <StepResult key={step.name} step={step} index={index} />
          ))}
        </ol>
      )}
      {answer && (
        <Text size="xs" c="dimmed">
          {t('This is a test. No messages are sent, and no URLs or models are called.')}
        </Text>
      )}
    </>
  );
}

function Verdict({ answer: { matches, reason, error } }: { answer: RuleTrialAnswer }) {
  const mismatch =
    reason === 'event_type'
      ? t("This event type doesn't trigger the rule")
      : t("The filter doesn't match this event");
  return (
    <div className={classes.verdict} role="status">
      <StateDot tone={error ? 'bad' : matches ? 'good' : 'idle'}>
        <span>
          {error ? t('The filter has an error') : matches ? t('The rule runs for this event') : mismatch}
        </span>
      </StateDot>
      {error && (
        <Text size="xs" c="dimmed" className={atoms.breaks}>
          {error.detail}
        </Text>
      )}
    </div>
  );
}

function StepResult({ step, index }: { step: Step; index: number }) {
  const { type, name, input, output, status, error } = step;
  const to = input?.['to'];
  const hasSampleOutput = type === 'create_link' || type === 'ask_model';
  return (
    <li>
      <div className={classes.previewHead}>
        <span className={classes.number}>{index + 1}</span>
        <strong>{ACTION_LABELS[type]}</strong>
        {typeof to === 'string' && (
          <span className={classes.to} dir="auto">
            → {to}
          </span>
        )}
      </div>
      {status === 'skipped' && <Text c="dimmed">{t("Skipped because its condition isn't met.")}</Text>}
      {input &&
        (type === 'send_message' ? <MessagePreview message={input} /> : <Input type={type} input={input} />)}
      {hasSampleOutput && output && (
        <Text size="xs" c="dimmed" className={atoms.breaks}>
          {rich(
            'Later actions use a sample of <code>steps.{name}</code>.',
            { code: (words) => <span className={ui.mono}>{words}</span> },
            { name },
          )}
        </Text>
      )}
      {error && (
        <ul className={classes.faults}>
          <li>
            <IconAlertTriangle size={14} aria-hidden />
            <span>{error.detail}</span>
          </li>
        </ul>
      )}
    </li>
  );
}

function Input({ type, input }: { type: Step['type']; input: Record<string, unknown> }) {
  if (type === 'call_webhook')
    return (
      <>
        <Text className={`${ui.mono} ${atoms.breaks}`}>POST {String(input['url'])}</Text>
        <JsonView value={input['body']} maxHeight={180} />
      </>
    );
  if (type === 'create_link') return <Text className={atoms.breaks}>{String(input['url'])}</Text>;
  return (
    <>
      {typeof input['system'] === 'string' && (
        <Text c="dimmed" className={atoms.breaks}>
          {input['system']}
        </Text>
      )}
      <Text className={atoms.breaks} style={{ whiteSpace: 'pre-wrap' }}>
        {String(input['prompt'])}
      </Text>
    </>
  );
}
