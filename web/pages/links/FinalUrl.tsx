/** A target with those parameters marked that the link sets. */
import { Text } from '@mantine/core';
import { CopyButton } from '../../ui/CopyButton.tsx';
import ui from '../../ui/ui.module.css';
import classes from './links.module.css';

interface FinalUrlProps {
  /** "Leads to". */
  label: string;
  href: string;
  /** Names of the parameters that are marked. */
  marked: ReadonlySet<string>;
}

/** Pieces of an address, cut where its parameters begin. */
const pieces = (href: string): string[] => {
  const [main = '', hash] = href.split(/(?=#)/, 2);
  return [...main.split(/(?=[?&])/), ...(hash === undefined ? [] : [hash])];
};

const nameOf = (piece: string): string => /^[?&]([^=]*)/.exec(piece)?.[1] ?? '';

export function FinalUrl({ label, href, marked }: FinalUrlProps) {
  return (
    <div className={classes.final}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <output aria-label={label} className={ui.mono}>
        {pieces(href).map((piece, at) =>
          marked.has(nameOf(piece)) ? (
            // oxlint-disable-next-line react/no-array-index-key -- a piece is its place
            <mark key={at}>{piece}</mark>
          ) : (
            piece
          ),
        )}
      </output>
      <CopyButton text={href} label="Copy the final URL" />
    </div>
  );
}
