/**
 * Renders templates in at most two workers, which start on demand and end when idle. Pending requests are sent in
 * batches, workspace by workspace. A request that takes more than 100 ms of worker time is terminated with its worker,
 * and the rest of its batch moves to the next worker. Only this file knows about workers.
 */
import type { Registry } from 'prom-client';
import { Problem } from '../http/problem.ts';
import { createTemplateBudget } from './budget.ts';
import { createWorkspaceQueue } from './workspace-queue.ts';
import type { WorkerAnswer, WorkerRequest } from './protocol.ts';
import { createTemplateMetrics } from './template-metrics.ts';
import { type TemplateRequest, startTemplateThread, type TemplateThread } from './template-thread.ts';
import type { Rendered, Template, TemplateError, Templates } from './templates.ts';

export interface TemplatePoolDeps {
  registry: Registry;
  log: { error(details: object, message: string): void };
}

const MAX_WORKERS = 2;
/** Of one message to a worker. */
const MAX_IN_BATCH = 32;
const MAX_BATCH = 512 * 1024;
const MAX_WAITING = 2000;
const MAX_WAITING_OF_ONE = 1000;
/** Characters. */
const MAX_QUEUE = 64 * 1024 * 1024;
/** Milliseconds that something waits before a second worker starts. */
const PATIENCE = 5;
const IDLE_UNTIL_END = 60_000;

const busy = (): Problem =>
  new Problem('unavailable', 'Too many templates wait to be rendered.', { headers: { 'retry-after': '1' } });

export function createTemplatePool({ registry, log }: TemplatePoolDeps): Templates {
  const budget = createTemplateBudget();
  const queue = createWorkspaceQueue<TemplateRequest>();
  const threads = new Set<TemplateThread>();
  const metrics = createTemplateMetrics(registry);
  let waitingSize = 0;
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
          waitingSize += asked.size;
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
    let alone = false;
    while (queue.size && batch.length < MAX_IN_BATCH && size < MAX_BATCH && !alone) {
      const asked = queue.take((workspaceId) => {
        if (!budget.isSlow(workspaceId)) return true;
        return batch.length === 0 && !slowRuns;
      });
      if (!asked) break;
      waitingSize -= asked.size;
      const refusal = budget.refusal(asked.workspaceId);
      if (refusal) {
        asked.answer(allFail(asked, refusal));
        continue;
      }
      alone = budget.isSlow(asked.workspaceId);
      size += asked.size;
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

  function ask(workspaceId: string, request: WorkerRequest): Promise<Rendered[]> {
    const refusal = budget.refusal(workspaceId);
    if (refusal) return Promise.resolve(request.templates.map(() => ({ text: null, fault: refusal })));
    const size = request.templates.reduce(
      (sum, { source }) => sum + source.length,
      request.variables?.length ?? 0,
    );
    if (
      stopped ||
      queue.size >= MAX_WAITING ||
      queue.getSize(workspaceId) >= MAX_WAITING_OF_ONE ||
      (queue.size > 0 && waitingSize + size > MAX_QUEUE)
    )
      return Promise.reject(busy());
    return new Promise((answer, refuse) => {
      waitingSize += size;
      queue.add({ workspaceId, request, size, answer, refuse });
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
      for (const asked of queue.drain()) asked.refuse(busy());
      await Promise.all(ending);
    },
  };
}
