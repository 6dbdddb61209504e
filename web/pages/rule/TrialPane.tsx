/** What the rule would do with the event beside it: each action, with what was rendered for it, or why it would fail. */
import { Loader, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiProblem } from '../../api/problem.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { JsonView } from '../../ui/JsonView.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { MessageOf } from '../publications/MessageOf.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import { ACTION_WORDS } from '../rules/rule-text.ts';
import type { RuleTrialState } from './use-rule-trial.ts';

type Step = RuleTrialAnswer['steps'][number];

export function TrialPane({ trial }: { trial: RuleTrialState }) {
  const { answer, error, pending } = trial;
  const isShape = error instanceof ApiProblem && error.faults.length > 0;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>What it would do</h2>
        {pending && <Loader size={12} aria-label="Trying" />}
      </div>
      {error !== null && !isShape && <ProblemAlert error={error} />}
      {isShape && (
        <div className={classes.verdict} role="status">
          <StateDot tone="warn">
            <span>
              {error.faults.length === 1
                ? 'One field is not right yet: it is marked.'
                : `${error.faults.length} fields are not right yet: they are marked.`}
            </span>
          </StateDot>
        </div>
      )}
      {!answer && error === null && !pending && (
        <Text c="dimmed">Choose an event and add an action: what it would do is shown here.</Text>
      )}
      {answer && <Verdict answer={answer} />}
      {answer && (
        <ol className={classes.previews} aria-label="What it would do" data-stale={pending || undefined}>
          {answer.steps.map((step, nth) => (
            <StepTried key={step.name} step={step} nth={nth} />
          ))}
        </ol>
      )}
      {answer && (
        <Text size="xs" c="dimmed">
          Nothing is done: no message is sent, no address called, no model asked.
        </Text>
      )}
    </>
  );
}

function Verdict({ answer: { matches, reason, error } }: { answer: RuleTrialAnswer }) {
  const held =
    reason === 'event_type' ? 'It is not for events of this type' : 'The filter holds this event back';
  return (
    <div className={classes.verdict} role="status">
      <StateDot tone={error ? 'bad' : matches ? 'good' : 'idle'}>
        <span>{error ? 'The filter fails' : matches ? 'It runs for this event' : held}</span>
      </StateDot>
      {error && (
        <Text size="xs" c="dimmed" className={classes.breaks}>
          {error.detail}
        </Text>
      )}
    </div>
  );
}

function StepTried({ step, nth }: { step: Step; nth: number }) {
  const { type, name, input, output, status, error } = step;
  const to = input?.['to'];
  const isLater = type === 'create_link' || type === 'ask_model';
  return (
    <li>
      <div className={classes.previewHead}>
        <span className={classes.number}>{nth + 1}</span>
        <strong>{ACTION_WORDS[type]}</strong>
        {typeof to === 'string' && (
          <span className={classes.to} dir="auto">
            → {to}
          </span>
        )}
      </div>
      {status === 'skipped' && <Text c="dimmed">Skipped: its condition does not hold.</Text>}
      {input &&
        (type === 'send_message' ? <MessageOf message={input} /> : <Input type={type} input={input} />)}
      {isLater && output && (
        <Text size="xs" c="dimmed" className={classes.breaks}>
          Later actions see a sample as <span className={ui.mono}>steps.{name}</span>
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
        <Text className={`${ui.mono} ${classes.breaks}`}>POST {String(input['url'])}</Text>
        <JsonView value={input['body']} maxHeight={180} />
      </>
    );
  if (type === 'create_link') return <Text className={classes.breaks}>{String(input['url'])}</Text>;
  return (
    <>
      {typeof input['system'] === 'string' && (
        <Text c="dimmed" className={classes.breaks}>
          {input['system']}
        </Text>
      )}
      <Text className={classes.breaks} style={{ whiteSpace: 'pre-wrap' }}>
        {String(input['prompt'])}
      </Text>
    </>
  );
}
