import type { InspectorRequestSummary } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { SIGNATURES } from './request-text.ts';

/** Whether the signature of a request is right. */
export function Signature({ of }: { of: InspectorRequestSummary['signature'] }) {
  const { tone, word, explanation } = SIGNATURES[of];
  return (
    <span data-tip={explanation}>
      <StateDot tone={tone}>{word}</StateDot>
    </span>
  );
}
