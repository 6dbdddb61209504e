/** Rows of the dashboard: how the server stands, what it answers, short links. */
import { of, type Panel, quantile, quantiles, QUICK, rate, total } from './queries.ts';

export const LINKS_AND_TRAFFIC: Record<string, Panel[]> = {
  'At a glance': [
    {
      title: 'Database answers',
      unit: 'short',
      kind: 'stat',
      queries: { '': `min(${of('fairlead_database_up')})` },
      describe: '1 when every process reaches PostgreSQL.',
      thresholds: [1, 0.5],
    },
    {
      title: 'Writes refused',
      unit: 'short',
      kind: 'stat',
      queries: { '': `max(${of('fairlead_writes_refused')})` },
      describe: '1 while a disk is nearly full and writes are answered 507.',
      thresholds: [0.5, 1],
    },
    {
      title: 'Journals that fail',
      unit: 'short',
      kind: 'stat',
      queries: { '': `sum(${of('fairlead_click_journal_failed')})` },
      describe: 'Processes that can record no click: their redirects are 503.',
      thresholds: [0.5, 1],
    },
    {
      title: 'Deliveries stalled',
      unit: 's',
      kind: 'stat',
      queries: { '': `max(${of('fairlead_deliveries_stalled_seconds')})` },
      describe: 'How long something has been due that should have been sent.',
      thresholds: [10, 60],
    },
    {
      title: 'Instances connected',
      unit: 'short',
      kind: 'stat',
      queries: { '': `max(${of('fairlead_instances', 'state="connected"')})` },
      describe: 'Accounts whose connection is up.',
    },
    {
      title: 'Least room on a disk',
      unit: 'percentunit',
      kind: 'stat',
      queries: { '': `min(${of('fairlead_disk_free_bytes')} / ${of('fairlead_disk_size_bytes')})` },
      describe: 'Share that is free. Below 5 % writes are refused.',
      thresholds: [0.15, 0.07],
    },
  ],
  Traffic: [
    {
      title: 'Answers',
      unit: 'reqps',
      queries: {
        '{{status}}': rate('http_request_duration_seconds_count', 'status'),
        'not in the request log': total('fairlead_request_log_dropped_total'),
      },
      describe: 'Answers of the API and the console by status. Redirects are counted apart.',
    },
    {
      title: 'Latency',
      unit: 's',
      queries: quantiles('http_request_duration_seconds', QUICK),
      describe: 'From request to answer, but for streams and model calls.',
    },
    {
      title: 'Errors',
      unit: 'percentunit',
      queries: {
        '5xx': `(${total('http_request_duration_seconds_count', 'status=~"5.."')} or vector(0)) / ${total('http_request_duration_seconds_count')}`,
        '429': `(${total('http_request_duration_seconds_count', 'status="429"')} or vector(0)) / ${total('http_request_duration_seconds_count')}`,
      },
      describe: 'Share of answers.',
    },
    {
      title: 'Busiest routes',
      unit: 'reqps',
      queries: {
        '{{method}} {{route}}': `topk(8, ${rate('http_request_duration_seconds_count', 'method, route')})`,
      },
      describe: 'By answers a second.',
    },
  ],
  'Short links and clicks': [
    {
      title: 'Redirects',
      unit: 'reqps',
      queries: { '{{outcome}}': rate('fairlead_redirects_total', 'outcome') },
      describe: 'Visits by what they were answered with. `unavailable` and `failed` should be none.',
    },
    {
      title: 'Clicks: recorded, loaded, lost',
      unit: 'ops',
      queries: {
        recorded: total('fairlead_click_journal_clicks_total', 'outcome="recorded"'),
        refused: total('fairlead_click_journal_clicks_total', 'outcome="refused"'),
        loaded: total('fairlead_clicks_loaded_total'),
        'dropped {{reason}}': rate('fairlead_clicks_dropped_total', 'reason'),
      },
      describe: 'Recorded in the journal before the answer; loaded into the database after it.',
    },
    {
      title: 'Click journal: not loaded yet',
      unit: 'bytes',
      queries: {
        backlog: `sum(${of('fairlead_click_journal_backlog_bytes')})`,
        'damaged in an hour': `sum(increase(${of('fairlead_click_journal_damaged_bytes_total')}[1h]))`,
      },
      describe: 'Grows while the database is away or redirects keep the process busy.',
    },
    {
      title: 'Clicks: oldest that waits, commit of the journal',
      unit: 's',
      queries: {
        'oldest that waits': `max(${of('fairlead_clicks_lag_seconds')})`,
        'commit p99': quantile(0.99, 'fairlead_click_journal_commit_seconds'),
        'batch p99': quantile(0.99, 'fairlead_clicks_batch_seconds'),
      },
      describe: 'A commit of the journal is what a redirect waits for: the disk.',
    },
    {
      title: 'Links from memory',
      unit: 'percentunit',
      queries: {
        hits: `${total('fairlead_link_map_lookups_total', 'result="hit"')} / ${total('fairlead_link_map_lookups_total')}`,
      },
      describe: 'Share of visits that asked no database.',
    },
    {
      title: 'Link map',
      unit: 'short',
      queries: {
        '{{kind}}': `max by (kind) (${of('fairlead_link_map_entries')})`,
        'staleness, s': `max(${of('fairlead_link_map_staleness_seconds')})`,
      },
      describe: 'Links in memory; seconds since changes were read.',
    },
  ],
};
