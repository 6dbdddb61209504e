/** Names of tags, each with the dot of its color. */
import atoms from './atoms.module.css';
import classes from './tag-chips.module.css';
import ui from './ui.module.css';

interface TagChipsProps {
  names: readonly string[];
  /** By name; a tag without one has a gray dot. */
  colors: ReadonlyMap<string, string>;
  /** How many are shown; the others are counted. */
  most?: number;
}

export function TagChips({ names, colors, most = names.length }: TagChipsProps) {
  const more = names.length - most;
  return (
    <span className={ui.chips} title={more > 0 ? names.join(', ') : undefined}>
      {names.slice(0, most).map((name) => (
        <TagChip key={name} name={name} color={colors.get(name) ?? 'gray'} />
      ))}
      {more > 0 && <span className={classes.moreChips}>{`+${more}`}</span>}
    </span>
  );
}

export function TagChip({ name, color }: { name: string; color: string }) {
  return (
    <span className={classes.tag} dir="auto">
      <span
        className={ui.dot}
        style={{ '--dot': `var(--mantine-color-${color}-6)` } as React.CSSProperties}
        aria-hidden
      />
      <span className={atoms.cut}>{name}</span>
    </span>
  );
}
