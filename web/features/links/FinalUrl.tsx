/** A destination URL with the parameters highlighted that the link sets. */
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import ui from '../../design/ui.module.css';
import classes from './links.module.css';

interface FinalUrlProps {
  /** "Final URL". */
  label: string;
  href: string;
  /** Names of the parameters to highlight. */
  marked: ReadonlySet<string>;
}

/** Splits a URL before each parameter and before the fragment. */
const pieces = (href: string): string[] => {
  const [main = '', hash] = href.split(/(?=#)/, 2);
  return [...main.split(/(?=[?&])/), ...(hash === undefined ? [] : [hash])];
};

const getName = (piece: string): string => /^[?&]([^=]*)/.exec(piece)?.[1] ?? '';

export function FinalUrl({ label, href, marked }: FinalUrlProps) {
  return (
    <div className={classes.final}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <output aria-label={label} className={ui.mono}>
        {pieces(href).map((piece, at) =>
          marked.has(getName(piece)) ? (
            // oxlint-disable-next-line react/no-array-index-key -- a piece is its place
            <mark key={at}>{piece}</mark>
          ) : (
            piece
          ),
        )}
      </output>
      <CopyButton text={href} label={t('Copy final URL')} />
    </div>
  );
}
