import type { RuleRun } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { RUN_WORDS } from './rule-text.ts';

/** What became of a run, as a colour and a word. */
export function RunState({ run: { status } }: { run: RuleRun }) {
  const [tone, word] = RUN_WORDS[status];
  return <StateDot tone={tone}>{word}</StateDot>;
}
