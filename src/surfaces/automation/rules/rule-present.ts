/** Converts a rule row to the object of the API and the event log: header names only, and whether calls are signed. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { RuleObject } from './rule.schema.ts';
import type { CountedRule, RuleRow } from './rule.store.ts';

const NOTHING_COUNTED = {
  matched: null,
  skipped: null,
  succeeded: null,
  failed: null,
  stopped: null,
  last_run_at: null,
  last_failed_at: null,
  last_stopped_as: null,
  last_stopped_at: null,
};

export const presentRule = (row: CountedRule): RuleObject => ({
  id: publicId('rule', row.id),
  object: 'rule',
  name: row.name,
  description: row.description,
  enabled: row.enabled,
  events: row.events,
  filter: row.filter,
  // Rules stored by earlier versions have no thread.
  actions: row.actions.map((action) =>
    action.type === 'send_message' ? { ...action, thread_id: action.thread_id ?? null } : action,
  ),
  rate_limit: { limit: row.rate_limit_per_minute, burst: row.rate_limit_burst },
  stats: {
    matched: row.matched ?? 0,
    skipped: row.skipped ?? 0,
    succeeded: row.succeeded ?? 0,
    failed: row.failed ?? 0,
    stopped: row.stopped ?? 0,
    last_run_at: row.last_run_at?.toISOString() ?? null,
    last_failed_at: row.last_failed_at?.toISOString() ?? null,
    last_stopped_as: row.last_stopped_as as RuleObject['stats']['last_stopped_as'],
    last_stopped_at: row.last_stopped_at?.toISOString() ?? null,
  },
  metadata: row.metadata,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The rule in events: without counters, which change with every run and are not updates of the rule. */
export const presentRuleForEvent = (row: RuleRow): RuleObject => presentRule({ ...row, ...NOTHING_COUNTED });
