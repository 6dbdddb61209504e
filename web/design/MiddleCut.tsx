/** A long text on one line that gives way in its middle: of two urls the host and the end tell them apart. */
import classes from './ui.module.css';

/** Characters of the end that always show. */
const TAIL = 12;

export function MiddleCut({ text, tail = TAIL }: { text: string; tail?: number }) {
  const at = Math.max(0, text.length - tail);
  return (
    <span className={classes.middleCut} title={text}>
      <span>{text.slice(0, at)}</span>
      <span>{text.slice(at)}</span>
    </span>
  );
}
