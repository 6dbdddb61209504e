/** Converts runs to objects of the API and the event log. */
import type { Selectable } from 'kysely';
import type { RuleRuns } from '../../../platform/db/tables.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { CausationChain } from '../../../core/unit/event-writer.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { RuleRunObject, RunStepObject } from './rule-run.schema.ts';

export type RunRow = Omit<Selectable<RuleRuns>, 'steps' | 'definition' | 'chain'> & {
  steps: RunStepObject[];
  /** The definition of the rule when the run started. */
  definition: { filter: string | null; actions: ActionObject[] };
  chain: CausationChain | null;
};

/** Removes inputs and outputs; the steps and their results stay. */
const withoutContent = (step: RunStepObject): RunStepObject => ({ ...step, input: null, output: null });

/**
 * Converts a run.
 * @param hidden removes inputs and outputs, for callers who may not read the event
 */
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
    // Lists filter times by ID.
    created_at: timeOfUuid(row.id).toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The run in events: readers of rule events may lack the scope of the triggering event. */
export const presentRunForEvent = (row: RunRow): RuleRunObject => presentRun(row, true);
