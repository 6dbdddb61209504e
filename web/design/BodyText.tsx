/** A request or response body. Always shown as text: indented and colored if it is JSON, and copied unchanged. */
import { t } from '../copy/text.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { indentJson } from '../api/exact-json.ts';
import { highlight } from './json-highlight.tsx';

interface BodyTextProps {
  text: string;
  /** Describes the copied text: "Copy the body". */
  label?: string;
  maxHeight?: number;
}

/** Characters; longer JSON is indented and not colored, which would make a hundred thousand elements. */
const MAX_COLORED = 60_000;

/** Indented, or null where it is no JSON object or array. */
function indented(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return indentJson(text);
  } catch {
    return null; // not valid JSON: shown unchanged
  }
}

export function BodyText({ text, label = t('Copy body'), maxHeight = 320 }: BodyTextProps) {
  const json = indented(text);
  return (
    <CodeBlock text={text} label={label} maxHeight={maxHeight}>
      {json === null ? text : json.length > MAX_COLORED ? json : highlight(json)}
    </CodeBlock>
  );
}
