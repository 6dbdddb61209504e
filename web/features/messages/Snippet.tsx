import { Mark } from '@mantine/core';
import classes from './messages.module.css';
import { markedParts, getSnippet } from './snippet.ts';

/** Shows the part of a text that a search found, with the matches marked. */
export function Snippet({ text, query }: { text: string; query: string | undefined }) {
  if (query === undefined) return text;
  const parts = markedParts(getSnippet(text, query), query);
  return parts
    .map((part, nth) => ({ ...part, key: `${nth} ${part.text}` }))
    .map(({ key, text: words, isMatch }) =>
      isMatch ? (
        <Mark key={key} className={classes.match}>
          {words}
        </Mark>
      ) : (
        words
      ),
    );
}
