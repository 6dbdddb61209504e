/** Renders JSON as colored elements. Values are always shown as text. */
import classes from './ui.module.css';

const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @param json as `JSON.stringify` writes it */
export function highlight(json: string): React.ReactNode[] {
  const parts: React.ReactNode[] = [];
  let end = 0;
  for (const match of json.matchAll(TOKENS)) {
    const [whole, string, colon] = match;
    if (match.index > end) parts.push(json.slice(end, match.index));
    const kind = string === undefined ? classes.literal : colon === undefined ? classes.string : classes.key;
    parts.push(
      <span key={match.index} className={kind}>
        {string ?? whole}
      </span>,
      colon ?? '',
    );
    end = match.index + whole.length;
  }
  parts.push(json.slice(end));
  return parts;
}
