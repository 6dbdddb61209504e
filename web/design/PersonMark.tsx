/** The first letter of a person's name in a circle of that person's colour. The name stands beside it. */
import { personColor } from './person-color.ts';
import classes from './person-mark.module.css';

interface PersonMarkProps {
  name: string;
  address: string;
  /** Pixels. */
  size?: number;
}

/** A letter or digit where there is one: an address may begin with a sign. */
const letterOf = (name: string): string => {
  const [letter] = name.match(/[\p{L}\p{N}]/u) ?? Array.from(name.trim());
  return (letter ?? '?').toUpperCase();
};

export function PersonMark({ name, address, size = 26 }: PersonMarkProps) {
  const style = { '--person': personColor(address), '--size': `${size}px` } as React.CSSProperties;
  return (
    <span className={classes.mark} style={style} aria-hidden>
      {letterOf(name)}
    </span>
  );
}
