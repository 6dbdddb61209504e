/** Indented and colored JSON. Values are always shown as text. */
import { t } from '../copy/text.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { highlight } from './json-highlight.tsx';

export function JsonView({ value, maxHeight }: { value: unknown; maxHeight?: number }) {
  const json = JSON.stringify(value, null, 2);
  return (
    <CodeBlock text={json} label={t('Copy JSON')} {...(maxHeight !== undefined && { maxHeight })}>
      {highlight(json)}
    </CodeBlock>
  );
}
