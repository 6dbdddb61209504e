/** Numbered steps, one below the other, each done, at hand or still to come. */
import { IconCheck } from '@tabler/icons-react';
import classes from './steps.module.css';

export interface Step {
  title: string;
  state: 'done' | 'current' | 'waiting';
  /** What was done, or what is to do. */
  body?: React.ReactNode;
}

const SAID = { done: 'done', current: 'now', waiting: 'later' };

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
          <span className={classes.mark} role="img" aria-label={SAID[state]}>
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
