import type { RuleRun } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { RUN_LABELS } from './rule-text.ts';

/** The status of a run, as a colored label. */
export function RunState({ run: { status } }: { run: RuleRun }) {
  const [tone, label] = RUN_LABELS[status];
  return <Status tone={tone}>{label}</Status>;
}
