/** Calls of models. */
import { of, type Panel, rate } from './queries.ts';

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
  ],
};
