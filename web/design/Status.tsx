/** The status of a record, as a pill: the color never carries the meaning alone. */
import { type Tone, TONES } from './tone.ts';
import classes from './ui.module.css';

export function Status({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={classes.status} style={{ '--dot': TONES[tone] } as React.CSSProperties}>
      <span className={classes.dot} aria-hidden />
      {children}
    </span>
  );
}
