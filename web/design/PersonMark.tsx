/**
 * Shows the first letter of a person's name in a circle of that person's color, or an icon if only a number is known.
 * The name is shown next to it.
 */
import { IconUser } from '@tabler/icons-react';
import { personColor } from './person-color.ts';
import classes from './person-mark.module.css';

interface PersonMarkProps {
  name: string;
  address: string;
  /** Pixels. */
  size?: number;
}

export function PersonMark({ name, address, size = 26 }: PersonMarkProps) {
  const letter = /\p{L}/u.exec(name)?.[0].toUpperCase();
  const style = { '--person': personColor(address), '--size': `${size}px` } as React.CSSProperties;
  return (
    <span className={classes.mark} style={style} aria-hidden>
      {letter ?? <IconUser size={size * 0.6} stroke={1.7} />}
    </span>
  );
}
