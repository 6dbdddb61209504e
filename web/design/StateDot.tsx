/** A state as a colored dot and a word: the color never carries the meaning alone. */
import { type Tone, TONES } from './tone.ts';
import classes from './ui.module.css';

export type { Tone } from './tone.ts';

export function StateDot({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} style={{ '--dot': TONES[tone] } as React.CSSProperties} aria-hidden />
      {children}
    </span>
  );
}
