/** What a run of all surfaces is told as: a table of each alone and at once, a table of the whole, and JSON. */
import { loadavg } from 'node:os';
import { getKinds, getTotal, getTrend, whatGrew } from '../../test/support/all-surfaces/growth.ts';
import type { Sample } from '../../test/support/all-surfaces/memory.ts';
import { type AllReport, type Figures, TOGETHER } from '../../test/support/all-surfaces/run.ts';
import type { Rates } from '../../test/support/all-surfaces/surfaces.ts';
import { AFTERWARDS, type Afterwards } from '../../test/support/all-surfaces/told.ts';
import { markdown, markdownTable } from './figure.ts';
import { machine, today } from './machine.ts';

const NAMES: Record<keyof Rates, string> = {
  redirects: 'redirect: 302',
  sends: 'message: 202',
  changes: 'change of a link: 200',
  publishing: 'publication, half by key, half by address: 202',
  console: 'a read of the console, or a stream opened: 200',
};
/** Which surface has what comes afterwards. */
const CAUSE: Record<Afterwards, keyof Rates> = {
  'message delivered': 'sends',
  'publication published': 'publishing',
  'change at the receiver': 'changes',
  'change on a stream': 'changes',
};

export interface RunFacts {
  seconds: number;
  aloneSeconds: number;
  /** On an installation that was filled before; with plans of slow statements. */
  filled: boolean;
  explained: boolean;
}

interface Row {
  name: string;
  alone: Figures | null;
  together: Figures | null;
}

function toRows({ phases }: AllReport): Row[] {
  const row = (name: string, of: keyof Rates | Afterwards, cause: keyof Rates): Row => ({
    name,
    alone: phases.get(cause)?.get(of) ?? null,
    together: phases.get(TOGETHER)?.get(of) ?? null,
  });
  return [
    ...(Object.keys(NAMES) as (keyof Rates)[]).map((name) => row(NAMES[name], name, name)),
    ...(Object.keys(AFTERWARDS) as Afterwards[]).map((name) => row(name, name, CAUSE[name])),
  ];
}

const number = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(value < 10 ? 1 : 0);

const getCells = ({ name, alone, together }: Row): string[] => [
  name,
  ...[alone, together].flatMap((figures) => [
    number(figures?.perSecond),
    number(figures?.p50),
    number(figures?.p99),
  ]),
  ...(['p50', 'p99'] as const).map((of) => (alone && together ? number(together[of] / alone[of]) : '')),
];

/** Beginning, end, and slope of what is watched; of connections also what was left of them at rest. */
function watchedRows({ memory, atRest }: AllReport): string[][] {
  const row = (name: string, of: (sample: Sample) => number, rest = ''): string[] => {
    const { first, last, perMinute } = getTrend(memory, of);
    const max = Math.max(...memory.map(of));
    const slope = Number.isNaN(perMinute) ? '' : perMinute.toFixed(2);
    return [name, number(first), number(max), number(last), slope, rest];
  };
  return [
    row('memory of the server, MB', ({ server }) => server),
    row("PostgreSQL's own, without what its processes share, MB", ({ postgres }) => postgres),
    row(
      'open files of the server',
      ({ files }) => getTotal(files),
      `${getTotal(atRest.before)} → ${getTotal(atRest.after)}`,
    ),
    ...getKinds(memory).map((kind) =>
      row(
        `— ${kind}`,
        ({ files }) => files[kind] ?? 0,
        `${atRest.before[kind] ?? 0} → ${atRest.after[kind] ?? 0}`,
      ),
    ),
  ];
}

export interface AllFigure {
  text: string;
  json: object;
  /** What grew, in words. */
  grew: string[];
}

export function allFigure(report: AllReport, facts: RunFacts): AllFigure {
  const { seconds, aloneSeconds, filled, explained } = facts;
  const rows = toRows(report);
  const grew = whatGrew(report.memory, report.bounds, report.atRest);
  const load = loadavg()[0]!;
  const afterwards = Object.entries(AFTERWARDS).map(([name, what]) => `${name}, ${what}`);
  const table = markdown({
    title: 'All surfaces together',
    method: `One server, started like \`npm start\`. A webhook receiver and the load generator run as other processes on the same cores. Each surface alone for ${aloneSeconds} s, then all together for ${seconds} s, at the same rates. Requests are sent at fixed times, regardless of the responses to earlier ones, and latencies count from these times. So do the latencies of the later results: ${afterwards.join('; ')}. Each message and publication is sent to a contact of the sandbox, which confirms receipt after 40 ms. Three webhooks receive changes, messages and publications, and a stream is open throughout${filled ? '; the installation was filled before' : ''}${explained ? '; PostgreSQL counted rows and pages of every statement, for its plans' : ''}. The last two columns are the ratio of together to alone. The machine's load average was ${load.toFixed(1)} at the end.`,
    columns: ['', 'alone: /s', 'p50 ms', 'p99 ms', 'together: /s', 'p50 ms', 'p99 ms', 'p50 ×', 'p99 ×'],
    rows: rows.map(getCells),
    targets: [
      {
        text: `${report.faults.length} faults: ${report.redirects.toLocaleString('en')} redirects were each counted once in counters, sums and rows; ${report.events.toLocaleString('en')} events, without gaps in their sequence; ${report.deliveries.toLocaleString('en')} deliveries, every event once or more (${report.doubles} again); every message delivered, every publication published once; ${report.refused} reads got 503; everything was done ${(report.drainedMs / 1000).toFixed(1)} s after the last request.`,
        met: report.faults.length + report.refused === 0,
      },
      {
        text: grew.length
          ? `something grows: ${grew.join('; ')}.`
          : 'memory grows by less than a tenth over the last two thirds (runs of 5 minutes and more); files other than connections by none; connections stay within their bounds, and after the load there are no more than before.',
        met: !grew.length,
      },
    ],
  });
  const watched = markdownTable(
    ['', 'at first', 'most', 'at the end', 'a minute, last two thirds', 'at rest: before → after'],
    watchedRows(report),
  );
  return {
    text: `${table}\n\n${watched}\n\nMeasured ${today()}: ${machine().replace(/, load by .*/, '')}.`,
    json: {
      measured: new Date().toISOString(),
      machine: machine().replace(/, load by .*/, ''),
      load: loadavg(),
      ...facts,
      surfaces: rows,
      faults: report.faults,
      grew,
      redirects: report.redirects,
      events: report.events,
      deliveries: report.deliveries,
      doubles: report.doubles,
      refused: report.refused,
      drainedMs: report.drainedMs,
      atRest: report.atRest,
      bounds: report.bounds,
      samples: report.memory,
    },
    grew,
  };
}
