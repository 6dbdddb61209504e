/** Tests a rule while it is edited, shortly after the last change. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ruleTrialQuery } from '../../api/rules.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { type RuleForm, toTrial } from './rule-form.ts';

const TYPING_MS = 300;

/** The event to test with: one of the log, the sample of a type, or one that the user edits. */
export type WithEvent = { event_id: string } | { event_type: string } | { custom_event: { type: string } };

export interface RuleTrialState {
  answer: RuleTrialAnswer | undefined;
  /** Why the test could not run. */
  error: unknown;
  /** Whether the answer belongs to an earlier version of the form. */
  pending: boolean;
}

/** @param ruleId null for a rule that isn't saved yet */
export function useRuleTrial(ruleId: string | null, form: RuleForm, event: WithEvent | null): RuleTrialState {
  const { workspace } = useWorkspace();
  const may = useCan('rules:write');
  const trial = event && toTrial(form, event);
  const request = trial === null ? '' : JSON.stringify(trial);
  const [debounced] = useDebouncedValue(request, TYPING_MS);
  const { data, error, isFetching } = useQuery({
    ...ruleTrialQuery(workspace.id, ruleId, debounced),
    placeholderData: keepPreviousData,
    enabled: may && debounced !== '',
  });
  if (request === '') return { answer: undefined, error: null, pending: false };
  return { answer: error ? undefined : data, error, pending: isFetching || debounced !== request };
}
