/** What a rule as it is written would do, asked for a moment after the last key. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ruleTrialQuery } from '../../api/rules.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { type RuleForm, trialOf } from './rule-form.ts';

const TYPED_MS = 300;

/** What it is tried with: an event of the log, or the sample of a type. */
export type WithEvent = { event_id: string } | { event_type: string };

export interface RuleTrialState {
  answer: RuleTrialAnswer | undefined;
  /** It could not be tried at all. */
  error: unknown;
  /** What is shown is of an earlier text. */
  pending: boolean;
}

/** @param ruleId null for one that is not saved yet */
export function useRuleTrial(ruleId: string | null, form: RuleForm, event: WithEvent | null): RuleTrialState {
  const { workspace } = useWorkspace();
  const may = useCan('rules:write');
  const trial = event && trialOf(form, event);
  const asked = trial === null ? '' : JSON.stringify(trial);
  const [settled] = useDebouncedValue(asked, TYPED_MS);
  const { data, error, isFetching } = useQuery({
    ...ruleTrialQuery(workspace.id, ruleId, settled),
    placeholderData: keepPreviousData,
    enabled: may && settled !== '',
  });
  if (asked === '') return { answer: undefined, error: null, pending: false };
  return { answer: error ? undefined : data, error, pending: isFetching || settled !== asked };
}
