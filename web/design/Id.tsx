/** An ID in mono with a copy button. */
import { t } from '../copy/text.ts';
import { CopyButton } from './CopyButton.tsx';
import classes from './ui.module.css';

/** Characters of the end that tell two IDs apart where the middle is left out. */
const TAIL = 6;

interface IdProps {
  id: string;
  /** Leave out the middle: `key_…hp41qf`. */
  short?: boolean;
  /** The object that the ID belongs to, for the button's label. */
  of?: string;
}

export function Id({ id, short = false, of = t('ID') }: IdProps) {
  const prefix = id.slice(0, id.indexOf('_') + 1);
  const shown = short && id.length > prefix.length + TAIL + 1 ? `${prefix}…${id.slice(-TAIL)}` : id;
  return (
    <span className={classes.id}>
      <span className={classes.mono} title={short ? id : undefined}>
        {shown}
      </span>
      <CopyButton text={id} label={t('Copy {of}', { of })} className={classes.idCopy} />
    </span>
  );
}
