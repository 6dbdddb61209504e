/** The first letter of a name in a square, in place of a picture. */
import classes from './initial.module.css';

export function Initial({
  name,
  size = 26,
  round = false,
}: {
  name: string;
  size?: number;
  round?: boolean;
}) {
  const [letter = '?'] = name.trim();
  return (
    <span
      className={classes.initial}
      style={{ width: size, height: size, fontSize: size * 0.46, borderRadius: round ? '50%' : 6 }}
      aria-hidden
    >
      {letter.toUpperCase()}
    </span>
  );
}
