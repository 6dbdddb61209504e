/** A state as a coloured dot and a word: colour never says it alone. */
import classes from './ui.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'live';

const COLORS: Record<Tone, string> = {
  good: 'light-dark(#1a8f5a, #3ecf8e)',
  live: 'var(--mantine-color-sea-5)',
  warn: 'light-dark(#c77700, #f0b04a)',
  bad: 'light-dark(#c92a2a, #ff7b7b)',
  idle: 'light-dark(#9aa3ac, #6b747d)',
};

export function StateDot({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} style={{ '--dot': COLORS[tone] } as React.CSSProperties} aria-hidden />
      {children}
    </span>
  );
}
