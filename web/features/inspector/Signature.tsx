import type { InspectorRequestSummary } from '../../api/types.ts';
import { StateDot } from '../../design/StateDot.tsx';
import { SIGNATURES } from './request-text.ts';

/** The verification result of a request's signature, as a colored label. */
export function Signature({ of }: { of: InspectorRequestSummary['signature'] }) {
  const { tone, label, explanation } = SIGNATURES[of];
  return (
    <span data-tip={explanation}>
      <StateDot tone={tone}>{label}</StateDot>
    </span>
  );
}
