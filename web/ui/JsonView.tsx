/** JSON, indented and coloured. Everything in it is shown as text, whatever it contains. */
import { CodeBlock } from './CodeBlock.tsx';
import { highlight } from './json-highlight.tsx';

export function JsonView({ value, maxHeight }: { value: unknown; maxHeight?: number }) {
  const json = JSON.stringify(value, null, 2);
  return (
    <CodeBlock text={json} label="Copy JSON" wrap {...(maxHeight !== undefined && { maxHeight })}>
      {highlight(json)}
    </CodeBlock>
  );
}
