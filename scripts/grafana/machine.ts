/** Rows of the dashboard: events and jobs, the database, the machine. */
import { of, type Panel, rate, total } from './queries.ts';

export const MACHINE: Record<string, Panel[]> = {
  'Events and jobs': [
    {
      title: 'Event lag',
      unit: 's',
      queries: { 'oldest not in the log': `max(${of('fairlead_outbox_oldest_seconds')})` },
      describe: 'Webhooks, streams and rules wait for the log.',
    },
    {
      title: 'Events',
      unit: 'ops',
      queries: { sequenced: total('fairlead_events_sequenced_total') },
      describe: 'Entered into the log.',
    },
    {
      title: 'Outbox',
      unit: 'short',
      queries: {
        waiting: `max(${of('fairlead_outbox_waiting')})`,
        'set aside': `max(${of('fairlead_outbox_rejected')})`,
      },
      describe: 'Set aside: the log could not take them.',
    },
    {
      title: 'Jobs that wait',
      unit: 'short',
      queries: {
        waiting: `max(${of('fairlead_jobs_waiting')})`,
        'oldest due, s': `max(${of('fairlead_jobs_oldest_due_seconds')})`,
      },
      describe: 'Due and not begun.',
    },
    {
      title: 'Jobs that ended',
      unit: 'ops',
      queries: { '{{queue}} {{outcome}}': `${rate('fairlead_jobs_total', 'queue, outcome')} > 0` },
      describe: 'given_up: the last try failed.',
    },
    {
      title: 'Partitions ahead',
      unit: 'short',
      queries: { '{{table}}': `min by (table) (${of('fairlead_partitions_ahead')})` },
      describe: 'Days. They are made seven days ahead.',
    },
  ],
  'Database and machine': [
    {
      title: 'Database connections',
      unit: 'short',
      queries: {
        '{{pool}} {{state}}': `sum by (pool, state) (${of('fairlead_database_connections')})`,
        '{{pool}} waited for': `sum by (pool) (${of('fairlead_database_waiting')})`,
      },
      describe: 'By pool; `most` is what a pool may open.',
    },
    {
      title: 'Gauges read from the database',
      unit: 'short',
      queries: { '{{collector}}': `min by (collector) (${of('fairlead_collector_up')})` },
      describe: '1: the query succeeded. 0: its gauges have no value, and their alerts stay silent.',
    },
    {
      title: 'Statements',
      unit: 'ops',
      queries: { '{{instance}}': rate('fairlead_database_statements_total', 'instance') },
      describe: 'Sent to the database.',
    },
    {
      title: 'Memory',
      unit: 'bytes',
      queries: {
        'resident {{instance}}': of('process_resident_memory_bytes'),
        'heap {{instance}}': of('nodejs_heap_size_used_bytes'),
      },
      describe: 'Of Fairlead’s processes, without PostgreSQL’s.',
    },
    {
      title: 'CPU',
      unit: 'percentunit',
      queries: { '{{instance}}': rate('process_cpu_seconds_total', 'instance') },
      describe: 'Of one core; several processes add up.',
    },
    {
      title: 'Event loop',
      unit: 's',
      queries: { 'p99 {{instance}}': of('nodejs_eventloop_lag_p99_seconds') },
      describe: 'How late a process gets to what is due.',
    },
    {
      title: 'Disks',
      unit: 'bytes',
      queries: {
        '{{disk}} free': `min by (disk) (${of('fairlead_disk_free_bytes')})`,
        '{{disk}} reserved': `max by (disk) (${of('fairlead_disk_reserved_bytes')})`,
      },
      describe: 'Below what is reserved, writes are refused.',
    },
    {
      title: 'Last backup',
      unit: 's',
      queries: {
        age: `time() - (max(${of('fairlead_backup_last_success_timestamp_seconds')}) > 0)`,
      },
      describe: 'How long ago `fairlead backup` ended well.',
    },
    {
      title: 'Open files',
      unit: 'percentunit',
      queries: { '{{instance}}': `${of('process_open_fds')} / ${of('process_max_fds')}` },
      describe: 'Share of the limit.',
    },
  ],
};
