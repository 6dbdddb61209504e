import type { InspectorRequestSummary } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { SIGNATURES } from './request-text.ts';

/** The verification result of a request's signature, as a colored label. */
export function Signature({ of }: { of: InspectorRequestSummary['signature'] }) {
  const { tone, label, explanation } = SIGNATURES[of];
  return (
    <span data-tip={explanation}>
      <Status tone={tone}>{label}</Status>
    </span>
  );
}
