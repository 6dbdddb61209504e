/** Runs of rules as the API and the event log show them. */
import type { Selectable } from 'kysely';
import type { RuleRuns } from '../../../platform/db/tables.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { CausationChain } from '../../../core/events/event-writer.ts';
import { publicId } from '../../../platform/http/ids.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { RuleRunObject, RunStepObject } from './rule-run.schema.ts';

export type RunRow = Omit<Selectable<RuleRuns>, 'steps' | 'definition' | 'chain'> & {
  steps: RunStepObject[];
  /** The rule as it was when it began. */
  definition: { filter: string | null; actions: ActionObject[] };
  chain: CausationChain | null;
};

/** What was made of the event is left out; that it was, and what became of it, stays. */
const withoutContent = (step: RunStepObject): RunStepObject => ({ ...step, input: null, output: null });

/** @param hidden for who may not read the event: without what was made of it */
export function presentRun(row: RunRow, hidden = false): RuleRunObject {
  const { error_code: code, error_detail: detail } = row;
  return {
    id: publicId('rule_run', row.id),
    object: 'rule_run',
    rule_id: publicId('rule', row.rule_id),
    event_id: publicId('event', row.event_id),
    event_type: row.event_type,
    event_sequence: row.event_sequence,
    status: row.status as RuleRunObject['status'],
    error: code === null ? null : { code, detail: detail ?? '' },
    steps: hidden ? row.steps.map(withoutContent) : row.steps,
    chain: (row.chain ?? []).map(({ rule_id: ruleId }) => ruleId),
    replay_of: row.replay_of && publicId('rule_run', row.replay_of),
    finished_at: row.finished_at?.toISOString() ?? null,
    // Lists bound times by ids.
    created_at: timeOfUuid(row.id).toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** As an event tells of it: whoever reads rules sees the event, also without the scope of what the run was about. */
export const presentRunForEvent = (row: RunRow): RuleRunObject => presentRun(row, true);
