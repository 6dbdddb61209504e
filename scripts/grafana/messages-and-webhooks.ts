/** Rows of the dashboard: webhooks, messages, automation. */
import { of, type Panel, quantiles, rate, total } from './queries.ts';

export const MESSAGES_AND_WEBHOOKS: Record<string, Panel[]> = {
  Webhooks: [
    {
      title: 'Deliveries that wait',
      unit: 'short',
      queries: {
        waiting: `max(${of('fairlead_deliveries_waiting')})`,
        'under way': `sum(${of('fairlead_deliveries_sending')})`,
      },
      describe: 'Those not over, up to 100,000: a receiver that is down keeps its own here for days.',
    },
    {
      title: 'Deliveries: how long they wait',
      unit: 's',
      queries: {
        'oldest due': `max(${of('fairlead_deliveries_oldest_due_seconds')})`,
        stalled: `max(${of('fairlead_deliveries_stalled_seconds')})`,
      },
      describe: 'Stalled is our fault, oldest due may be the receiver’s.',
    },
    {
      title: 'Attempts',
      unit: 'ops',
      queries: { '{{outcome}}': rate('fairlead_delivery_attempts_total', 'outcome') },
      describe: 'By what became of the delivery.',
    },
    {
      title: 'Receivers',
      unit: 's',
      queries: quantiles('fairlead_delivery_attempt_seconds'),
      describe: 'How long attempts take.',
    },
    {
      title: 'Webhooks',
      unit: 'short',
      queries: {
        failing: `max(${of('fairlead_webhooks_failing')})`,
        disabled: `max(${of('fairlead_webhooks_disabled')})`,
        'sending processes': `max(${of('fairlead_delivery_workers')})`,
      },
      describe: 'Failing: enabled, and the last attempts failed.',
    },
  ],
  Messages: [
    {
      title: 'Sends',
      unit: 'ops',
      queries: { '{{channel}} {{outcome}}': rate('fairlead_sends_total', 'channel, outcome') },
      describe: 'What connections were asked for, by what became of it.',
    },
    {
      title: 'Send queues',
      unit: 'short',
      queries: {
        waiting: `max(${of('fairlead_sends_waiting')})`,
        'under way': `sum(${of('fairlead_sends_under_way')})`,
      },
      describe: 'Of all instances, up to 100,000.',
    },
    {
      title: 'Send queues: oldest, stalled',
      unit: 's',
      queries: {
        'oldest due': `max(${of('fairlead_sends_oldest_due_seconds')})`,
        'connections stalled': `max(${of('fairlead_connections_stalled_seconds')})`,
      },
      describe: 'The oldest may wait for an account that is away.',
    },
    {
      title: 'Instances by state',
      unit: 'short',
      queries: { '{{state}}': `max by (state) (${of('fairlead_instances')})` },
      describe: 'Accounts on channels.',
    },
    {
      title: 'Connections',
      unit: 'short',
      queries: {
        held: `max(${of('fairlead_connections_held')})`,
        up: `sum(${of('fairlead_connections_up')})`,
        opening: `sum(${of('fairlead_connections_opening')})`,
        processes: `max(${of('fairlead_connection_nodes')})`,
      },
      describe: 'Held by processes; up and opening in those that are shown.',
    },
    {
      title: 'Connections opened and lost',
      unit: 'ops',
      queries: {
        'opened {{channel}} {{outcome}}': rate('fairlead_connection_opens_total', 'channel, outcome'),
        'lost {{channel}} {{kind}}': rate('fairlead_connections_lost_total', 'channel, kind'),
      },
      describe: 'Many of both: an account that comes and goes.',
    },
    {
      title: 'Updates that could not be processed',
      unit: 'ops',
      queries: {
        '{{channel}} {{reason}}': rate('fairlead_unprocessed_updates_total', 'channel, reason'),
      },
      describe: 'Kept for their instances. Many: the channel changed; replay them after an upgrade.',
    },
  ],
  Automation: [
    {
      title: 'Publications and rules: oldest due',
      unit: 's',
      queries: {
        publications: `max(${of('fairlead_publications_oldest_seconds')})`,
        rules: `max(${of('fairlead_rules_oldest_due_seconds')})`,
      },
      describe: 'What is due and not begun.',
    },
    {
      title: 'Publications and rules that wait',
      unit: 'short',
      queries: {
        publications: `max(${of('fairlead_publications_waiting')})`,
        rules: `max(${of('fairlead_rules_waiting')})`,
        'rules under way': `sum(${of('fairlead_rules_active')})`,
        'processes that run rules': `max(${of('fairlead_rule_workers')})`,
      },
      describe: 'Up to 100,000 each.',
    },
    {
      title: 'Publications, runs of rules',
      unit: 'ops',
      queries: {
        'publications {{status}}': rate('fairlead_publications_total', 'status'),
        'rules {{status}}': rate('fairlead_rule_runs_total', 'status'),
      },
      describe: 'How they ended.',
    },
    {
      title: 'Steps of rules',
      unit: 's',
      queries: {
        '{{type}} p95': `histogram_quantile(0.95, ${rate('fairlead_rule_step_seconds_bucket', 'le, type')})`,
      },
      describe: 'By what a step does.',
    },
    {
      title: 'Templates',
      unit: 'ops',
      queries: {
        '{{result}}': rate('fairlead_templates_rendered_total', 'result'),
        'workers stopped': total('fairlead_template_workers_stopped_total'),
        'seconds of workers': total('fairlead_template_worker_seconds_total'),
      },
      describe: 'Rendered or checked.',
    },
  ],
};
