/** A text of anybody's: shown as it is. Its http addresses are links that tell nothing of this page. */
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import classes from './bubble.module.css';

/** Characters that are shown at first. */
const SHOWN = 1500;
const ADDRESS = /(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,:;!?)\]}])/i;

/** Parts at odd places are addresses. */
const partsOf = (text: string) => text.split(ADDRESS).map((part, at) => ({ part, at, isLink: at % 2 === 1 }));

export function LinkedText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  const shown = isLong && !whole ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return (
    <div className={classes.text} dir="auto">
      {partsOf(shown).map(({ part, at, isLink }) =>
        isLink ? (
          <a key={at} href={part} target="_blank" rel="noopener noreferrer nofollow">
            {part}
          </a>
        ) : (
          part
        ),
      )}
      {isLong && (
        <UnstyledButton className={classes.whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : 'Show all'}
        </UnstyledButton>
      )}
    </div>
  );
}
