/** Code or a command in mono, with a copy button. */
import { t } from '../copy/text.ts';
import { CopyButton } from './CopyButton.tsx';
import classes from './ui.module.css';

interface CodeBlockProps {
  /** The text that the button copies. */
  text: string;
  /** The text shown, if it differs: colored, or with a secret hidden. */
  children?: React.ReactNode;
  label?: string;
  /** Pixels; taller code scrolls. */
  maxHeight?: number;
}

export function CodeBlock({ text, children, label = t('Copy'), maxHeight }: CodeBlockProps) {
  return (
    <div className={classes.code}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long code is scrolled by keys */}
      <pre className={classes.codeText} style={{ maxHeight }} tabIndex={0}>
        {children ?? text}
      </pre>
      <CopyButton text={text} label={label} className={classes.codeCopy} />
    </div>
  );
}
