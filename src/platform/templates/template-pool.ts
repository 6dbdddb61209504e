/**
 * Renders templates in at most two workers, which start on demand and end when idle. Pending requests are sent in
 * batches, in which persons and their workspaces take turns. A request that takes more than 100 ms of worker time is terminated with its worker,
 * and the rest of its batch moves to the next worker. Only this file knows about workers.
 */
import type { Registry } from 'prom-client';
import { Problem } from '../http/problem.ts';
import type { Log } from '../logging/log.ts';
import { createTemplateBudget } from './budget.ts';
import { createFairRoom } from '../limits/fair-room.ts';
import { createTemplateQueue } from './template-queue.ts';
import type { WorkerAnswer, WorkerRequest } from './protocol.ts';
import { createTemplateMetrics } from './template-metrics.ts';
import { type TemplateRequest, startTemplateThread, type TemplateThread } from './template-thread.ts';
import type { Rendered, Template, TemplateError, Templates } from './templates.ts';

export interface TemplatePoolDeps {
  registry: Registry;
  log: Pick<Log, 'error'>;
  /** Whom a workspace counts for. */
  getPerson?: (workspaceId: string) => Promise<string>;
}

const MAX_WORKERS = 2;
/** Of one message to a worker. */
const MAX_IN_BATCH = 32;
const MAX_BATCH = 512 * 1024;
/** Milliseconds that a message may be expected to take: whoever comes then waits for the end of it. */
const MAX_BATCH_MS = 20;
const MAX_WAITING = 2000;
/** Characters. */
const MAX_QUEUE = 64 * 1024 * 1024;
/** Milliseconds that something waits before a second worker starts. */
const PATIENCE = 5;
const IDLE_UNTIL_END = 60_000;

const busy = (): Problem =>
  new Problem('unavailable', 'Too many templates are waiting to be rendered.', {
    headers: { 'retry-after': '1' },
  });

export function createTemplatePool({
  registry,
  log,
  getPerson = async (workspaceId) => workspaceId,
}: TemplatePoolDeps): Templates {
  const budget = createTemplateBudget();
  const room = createFairRoom(MAX_QUEUE);
  const queue = createTemplateQueue<TemplateRequest>({
    max: MAX_WAITING,
    isSlow: budget.isSlow,
    onDropped(asked) {
      room.release(asked.person, asked.size);
      asked.refuse(busy());
    },
  });
  const threads = new Set<TemplateThread>();
  const metrics = createTemplateMetrics(registry);
  let planned = false;
  let impatient: NodeJS.Timeout | null = null;
  let stopped = false;

  const allFail = ({ request }: TemplateRequest, fault: TemplateError): Rendered[] =>
    request.templates.map(() => ({ text: null, fault }));

  function start(): TemplateThread {
    const thread = startTemplateThread({
      idleAfter: IDLE_UNTIL_END,
      answered(asked, { results, spent }: WorkerAnswer) {
        budget.spend(asked.workspaceId, spent);
        metrics.answered(results, spent);
        asked.answer(results);
      },
      ended(asked, fault, spent) {
        budget.stopped(asked.workspaceId, spent);
        metrics.stopped(spent);
        asked.answer(allFail(asked, fault));
      },
      failed(asked, error) {
        log.error({ err: error }, 'a template worker failed');
        asked?.refuse(new Problem('internal_error', 'The template could not be rendered.'));
      },
      free: plan,
      gone(left) {
        threads.delete(thread);
        for (const asked of left.toReversed()) {
          room.hold(asked.person, asked.size);
          queue.requeue(asked);
        }
        plan();
      },
    });
    threads.add(thread);
    return thread;
  }

  function nextBatch(): TemplateRequest[] {
    // All who go slowly share one worker, so that the other is there for everybody else.
    const slowRuns = [...threads].some((thread) =>
      thread.sent().some((asked) => budget.isSlow(asked.workspaceId)),
    );
    const batch: TemplateRequest[] = [];
    let size = 0;
    let expectedMs = 0;
    let alone = false;
    while (batch.length < MAX_IN_BATCH && size < MAX_BATCH && expectedMs < MAX_BATCH_MS && !alone) {
      const asked = queue.take(batch.length === 0 && !slowRuns);
      if (!asked) break;
      room.release(asked.person, asked.size);
      const refusal = budget.refusal(asked.workspaceId);
      if (refusal) {
        asked.answer(allFail(asked, refusal));
        continue;
      }
      alone = budget.isSlow(asked.workspaceId);
      size += asked.size;
      expectedMs += budget.expected(asked.workspaceId);
      batch.push(asked);
    }
    return batch;
  }

  function dispatch(): void {
    planned = false;
    if (stopped) return;
    for (const thread of threads) {
      if (!queue.size) return;
      if (!thread.isFree()) continue;
      const batch = nextBatch();
      if (batch.length) thread.send(batch);
    }
    if (!queue.size || threads.size >= MAX_WORKERS) return;
    if (threads.size === 0) {
      start();
      dispatch();
      return;
    }
    impatient ??= setTimeout(() => {
      impatient = null;
      if (!queue.size || stopped || threads.size >= MAX_WORKERS) return;
      start();
      dispatch();
    }, PATIENCE);
  }

  /** Once for all that arrive in the same turn of the loop. */
  function plan(): void {
    if (planned || stopped) return;
    planned = true;
    setImmediate(dispatch);
  }

  async function ask(workspaceId: string, request: WorkerRequest): Promise<Rendered[]> {
    const refusal = budget.refusal(workspaceId);
    if (refusal) return request.templates.map(() => ({ text: null, fault: refusal }));
    const size = request.templates.reduce(
      (sum, { source }) => sum + source.length,
      request.variables?.length ?? 0,
    );
    const person = await getPerson(workspaceId);
    if (stopped || !room.has(person, size)) throw busy();
    return new Promise((answer, refuse) => {
      room.hold(person, size);
      queue.add({ person, workspaceId, request, size, answer, refuse });
      plan();
    });
  }

  return {
    async render(workspaceId: string, variables: object, templates: readonly Template[]) {
      if (!templates.length) return [];
      return ask(workspaceId, { variables: JSON.stringify(variables), templates });
    },
    async check(workspaceId, templates) {
      if (!templates.length) return [];
      const results = await ask(workspaceId, { variables: null, templates });
      return results.map(({ fault }) => fault);
    },
    async stop() {
      stopped = true;
      if (impatient) clearTimeout(impatient);
      const ending = [...threads].map((thread) => thread.stop());
      for (let asked = queue.take(true); asked; asked = queue.take(true)) asked.refuse(busy());
      await Promise.all(ending);
    },
  };
}
