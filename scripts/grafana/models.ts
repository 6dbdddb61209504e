/** Calls of models. */
import { of, quantile, rate, total, type Panel } from './queries.ts';

export const MODELS: Record<string, Panel[]> = {
  Models: [
    {
      title: 'Model calls',
      unit: 'ops',
      queries: { '{{outcome}}': rate('fairlead_model_calls_total', 'outcome') },
      describe: 'By how they ended.',
    },
    {
      title: 'Model calls in progress',
      unit: 'short',
      queries: {
        'in progress': `sum(${of('fairlead_model_calls_open')})`,
        'not recorded yet': `sum(${of('fairlead_model_call_results_waiting')})`,
      },
      describe: 'Of all processes.',
    },
    {
      title: 'Model call journal: recorded, refused, failed',
      unit: 'short',
      queries: {
        recorded: total('fairlead_model_call_journal_records_total', 'outcome="recorded"'),
        refused: total('fairlead_model_call_journal_records_total', 'outcome="refused"'),
        failed: `sum(${of('fairlead_model_call_journal_failed')})`,
        'commit p99': quantile(0.99, 'fairlead_model_call_journal_commit_seconds'),
      },
      describe: 'Calls that cannot be recorded in the journal are recorded in the database.',
    },
    {
      title: 'Model call journal: not loaded yet',
      unit: 'bytes',
      queries: {
        backlog: `sum(${of('fairlead_model_call_journal_backlog_bytes')})`,
        'damaged in an hour': `sum(increase(${of('fairlead_model_call_journal_damaged_bytes_total')}[1h]))`,
      },
      describe: 'Grows while the database is away or calls keep the process busy.',
    },
  ],
};
