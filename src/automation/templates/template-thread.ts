/**
 * One worker, seen from outside: it is sent batches, watched while it works, and ended when one request takes too long.
 * Every request that it was sent is either answered, ended, failed, or given back by `gone`.
 */
import { Worker } from 'node:worker_threads';
import type { FromWorker, WorkerAnswer, WorkerSetup } from './protocol.ts';
import type { Asked } from './template-pool.ts';
import type { TemplateFault } from './templates.ts';

/** Milliseconds from the beginning of a request to the end of its worker, which may take a few more. */
const LONGEST = 85;
const LOOK_EVERY = 8;
/** Until a worker takes up what it was sent first. */
const LONGEST_START = 30_000;

export interface TemplateThreadDeps {
  /** Milliseconds without work until it ends by itself. */
  idleAfter: number;
  answered(asked: Asked, answer: WorkerAnswer): void;
  /** A request that took too long or too much. */
  ended(asked: Asked, fault: TemplateFault, spent: number): void;
  /** The worker failed by a fault of ours, with what it worked on. */
  failed(asked: Asked | undefined, error: unknown): void;
  free(): void;
  /** It is no more; `left` are those that it never began with. */
  gone(left: Asked[]): void;
}

export interface TemplateThread {
  isFree(): boolean;
  sent(): readonly Asked[];
  send(batch: Asked[]): void;
  stop(): Promise<void>;
}

const TOO_LONG: TemplateFault = {
  code: 'template_timeout',
  detail: 'It was stopped: rendering takes too long.',
};
const TOO_LARGE: TemplateFault = {
  code: 'template_too_large',
  detail: 'It was stopped: rendering takes too much memory.',
};

export function startTemplateThread(deps: TemplateThreadDeps): TemplateThread {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./template-worker.ts', import.meta.url), {
    workerData: { begun } satisfies WorkerSetup,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 },
    env: {},
    stdin: false,
    name: 'templates',
  });
  worker.unref();
  /** Sent and not answered, in order. */
  let sent: Asked[] = [];
  /** Requests that it had begun with before those in `sent`. */
  let before = 0;
  let over = false;
  let seen = { begun: 0, at: 0 };
  let sentAt = 0;
  let watch: NodeJS.Timeout | null = null;
  let idle: NodeJS.Timeout | null = null;

  function end(): void {
    if (over) return;
    over = true;
    if (watch) clearInterval(watch);
    if (idle) clearTimeout(idle);
    worker.unref();
    deps.gone(sent);
    sent = [];
  }

  function look(): void {
    const now = performance.now();
    const current = Atomics.load(begun, 0);
    if (current === before) {
      if (now - sentAt < LONGEST_START) return;
      deps.failed(sent.shift(), new Error('a template worker did not start'));
    } else if (current !== seen.begun) {
      seen = { begun: current, at: now };
      return;
    } else {
      if (now - seen.at < LONGEST) return;
      stopCurrent(TOO_LONG, now - seen.at);
    }
    void worker.terminate();
    end();
  }

  /** Of those in `sent`, the worker is at one; the ones before it are done, but their answers are lost with it. */
  function stopCurrent(fault: TemplateFault, spent: number): void {
    const index = Atomics.load(begun, 0) - before - 1;
    const [current] = index >= 0 ? sent.splice(index, 1) : [];
    if (current) deps.ended(current, fault, spent);
  }

  worker.on('message', (answers: FromWorker) => {
    if (over) return;
    before += answers.length;
    const done = sent.splice(0, answers.length);
    for (const [index, answer] of answers.entries()) deps.answered(done[index]!, answer);
    if (sent.length) return;
    worker.unref();
    if (watch) clearInterval(watch);
    watch = null;
    idle ??= setTimeout(() => {
      void worker.terminate();
      end();
    }, deps.idleAfter).unref();
    idle.refresh();
    deps.free();
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (over) return;
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') stopCurrent(TOO_LARGE, LONGEST);
    else {
      const index = Atomics.load(begun, 0) - before - 1;
      deps.failed(sent.splice(Math.max(0, index), 1)[0], error);
    }
    end();
  });
  worker.on('exit', end);

  return {
    isFree: () => !over && sent.length === 0,
    sent: () => sent,
    send(batch) {
      sent = batch;
      sentAt = performance.now();
      seen = { begun: before, at: sentAt };
      worker.ref();
      watch ??= setInterval(look, LOOK_EVERY);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(batch.map(({ request }) => request));
    },
    async stop() {
      end();
      await worker.terminate();
    },
  };
}
