/**
 * All surfaces under load: each alone for a while, then all at once, at the same rates, against one started server.
 *
 * What must hold, whatever the machine is like: every request is answered as it must be; what was answered is there
 * afterwards, once, and went wherever it should (losses.ts). How long it took is told, not judged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { percentile } from '../percentile.ts';
import { type Arrivals, arrive, type Took } from './arrivals.ts';
import { getPhase } from './ledger.ts';
import { drain, getLosses } from './losses.ts';
import type { Bounds } from './growth.ts';
import { type Sample, watchMemory } from './memory.ts';
import { DATABASE_KINDS, type OpenFiles, openFilesFor } from './open-files.ts';
import { MAX_CONNECTIONS, openSurfaces, type Rates, type Surface } from './surfaces.ts';
import { type Afterwards, getAfterwards, getEvents } from './told.ts';
import { type AllOptions, openAllWorld } from './world.ts';

export const TOGETHER = 'together';
const SAMPLED_EVERY_MS = 5_000;
/** Unused connections are closed by then, both ways: those of the load with it, the server's own after some seconds. */
const AT_REST_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;
/**
 * Kind of connection → the most there may be: what the load may open, beside those that made the world; what senders keep
 * (src/platform/egress/egress.ts); the pools of the server (DATABASE_POOL, src/app/server-process.ts), with what listens and what
 * holds the embedded database.
 */
const BOUNDS: Bounds = {
  'connections of callers': MAX_CONNECTIONS + 16,
  'connections to the receiver': 1_000,
  // Those that are dialled right now, to receivers that are gone among others.
  'sockets that are not connected': 1_000,
  ...Object.fromEntries(DATABASE_KINDS.map((kind) => [kind, 16 + 10 + 10])),
};

export interface RunOptions extends AllOptions {
  rates: Rates;
  /** Of all surfaces at once, and of each alone before; 0 leaves that out. */
  seconds: number;
  aloneSeconds: number;
  report?: (line: string) => void;
  /** Called when all surfaces begin, and when they have ended. */
  onTogether?: (pool: Pool) => Promise<void>;
  onEnded?: (pool: Pool) => Promise<void>;
  /** Waits at the end until connections are closed again, which takes some seconds, and tells what stayed open. */
  untilAtRest?: boolean;
}

export interface Figures {
  count: number;
  /** From the first planned time to the last end. */
  perSecond: number;
  /** Waits from the planned time on, in ms. */
  p50: number;
  p99: number;
  max: number;
}

export interface AllReport {
  /** Phase (a surface's name, or TOGETHER) → what was measured of each. */
  phases: Map<string, Map<keyof Rates | Afterwards, Figures>>;
  /** While all surfaces were under load. */
  memory: Sample[];
  bounds: Bounds;
  /** Open files of the server before the load came, and (with untilAtRest) after it was gone. */
  atRest: { before: OpenFiles; after: OpenFiles };
  /** Of the run, in words: what was answered otherwise than it must be, lost, doubled, left. */
  faults: string[];
  redirects: number;
  /** Reads that were answered 503, and asked for again. */
  refused: number;
  events: number;
  /** Requests at the receiver, those that came again among them. */
  deliveries: number;
  doubles: number;
  drainedMs: number;
}

function getFigures(took: readonly Took[]): Figures {
  const waits = took.map(({ planned, ended }) => ended - planned);
  const first = took.reduce((least, { planned }) => Math.min(least, planned), Infinity);
  const last = took.reduce((max, { ended }) => Math.max(max, ended), -Infinity);
  return {
    count: took.length,
    perSecond: took.length / ((last - first) / 1000),
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    max: percentile(waits, 1),
  };
}

/** Looks until no kind of connection has more than before, as long as that may take. */
async function atRestAfter(before: OpenFiles, look: () => OpenFiles): Promise<OpenFiles> {
  const deadline = performance.now() + AT_REST_WITHIN_MS;
  for (;;) {
    const after = look();
    const isMore = Object.keys(BOUNDS).some((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
    if (!isMore || performance.now() > deadline) return after;
    await delay(LOOK_EVERY_MS);
  }
}

/** Lines of the server's log that tell of errors: of level 50 and beyond. The last may be there in part. */
const errorsIn = (output: string): string[] =>
  output
    .split('\n')
    .slice(0, -1)
    .filter((line) => {
      if (!line.startsWith('{')) return false;
      const { level, err } = JSON.parse(line) as { level: number; err?: { message?: string } };
      // A request that was refused for a lock, which its caller asks again.
      return level >= 50 && err?.message !== 'canceling statement due to lock timeout';
    });

export async function runAllSurfaces(options: RunOptions): Promise<AllReport> {
  const { rates, seconds, aloneSeconds, report = () => {} } = options;
  const world = await openAllWorld(options);
  await using _world = world;
  const { product, pool } = world;
  const ports = { server: product.port, receiver: Number(new URL(world.receiver.base).port) };
  const filesNow = (): OpenFiles => openFilesFor(product.pid, options.dataDir, ports);
  await using surfaces = await openSurfaces(world);
  const before = filesNow();
  const faults: string[] = [];
  const measured = new Map<string, Map<keyof Rates, Arrivals>>();
  const numbers = new Map<keyof Rates, number>();

  const load = async ({ name, call }: Surface, phase: string, length: number): Promise<void> => {
    const first = numbers.get(name) ?? 0;
    let count = 0;
    const arrivals = await arrive(rates[name], length, (n, planned) => {
      count = Math.max(count, n + 1);
      return call(first + n, planned, phase);
    });
    numbers.set(name, first + count);
    for (const [what, times] of arrivals.faults) faults.push(`${phase}, ${name}, ${times} times: ${what}`);
    measured.set(phase, (measured.get(phase) ?? new Map<keyof Rates, Arrivals>()).set(name, arrivals));
  };

  // What is read for the first time, compiled or prepared is no part of any figure.
  if (aloneSeconds) await Promise.all(surfaces.all.map((surface) => load(surface, 'before', 5)));
  for (const surface of aloneSeconds ? surfaces.all : []) {
    report(`${surface.name} alone for ${aloneSeconds} s`);
    await load(surface, surface.name, aloneSeconds);
    await drain(world);
  }
  report(`all at once for ${seconds} s`);
  await options.onTogether?.(pool);
  const watch = await watchMemory(product.pid, pool, filesNow, SAMPLED_EVERY_MS);
  await Promise.all(surfaces.all.map((surface) => load(surface, TOGETHER, seconds)));
  await watch.stop();
  await options.onEnded?.(pool);
  report('looking whether all of it is there');
  const { left, ms } = await drain(world);
  faults.push(...left.map((what) => `left: ${what}`));
  const told = await getEvents(world);
  faults.push(...(await getLosses(world, told)));
  if (options.untilAtRest) await Promise.all([surfaces.close(), world.stream.close()]);
  const after = options.untilAtRest ? await atRestAfter(before, filesNow) : {};
  const errors = errorsIn(product.output());
  faults.push(...errors.slice(0, 5).map((line) => `the log: ${line.slice(0, 500)}`));

  const phases: AllReport['phases'] = new Map();
  for (const [phase, by] of measured) {
    const figures = new Map<keyof Rates | Afterwards, Figures>();
    for (const [name, { took }] of by) figures.set(name, getFigures(took));
    for (const [name, took] of Object.entries(getAfterwards(world, told, getPhase(world.ledger, phase))))
      if (took.length) figures.set(name as Afterwards, getFigures(took));
    phases.set(phase, figures);
  }
  const { ledger } = world;
  const came = [...ledger.arrived.values()].reduce((sum, events) => sum + events.size, 0);
  return {
    phases,
    memory: watch.samples,
    bounds: BOUNDS,
    atRest: { before, after },
    faults,
    redirects: ledger.redirects,
    refused: ledger.refused,
    events: told.length,
    deliveries: came + ledger.doubles,
    doubles: ledger.doubles,
    drainedMs: ms,
  };
}
