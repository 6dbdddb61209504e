/** A list of numbered steps, each done, current or upcoming. */
import { IconCheck } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import classes from './steps.module.css';

export interface Step {
  title: string;
  state: 'done' | 'current' | 'waiting';
  /** The completed or next step. */
  body?: React.ReactNode;
}

const STATE_LABELS = { done: t('Done'), current: t('Current'), waiting: t('Upcoming') };

export function Steps({ steps }: { steps: Step[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map(({ title, state, body }, index) => (
        <li
          key={title}
          className={classes.step}
          data-state={state}
          aria-current={state === 'current' ? 'step' : undefined}
        >
          <span className={classes.mark} role="img" aria-label={STATE_LABELS[state]}>
            {state === 'done' ? <IconCheck size={14} stroke={2.5} /> : index + 1}
          </span>
          <div className={classes.stepBody}>
            <div className={classes.stepTitle}>{title}</div>
            {body && <div className={classes.stepContent}>{body}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
