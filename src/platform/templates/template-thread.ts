/**
 * One worker, seen from outside: it is sent batches, watched while it works, and ended when one request takes too long.
 * Every request that it was sent is either answered, ended, failed, or given back by `gone`.
 */
import { Worker } from 'node:worker_threads';
import type { Problem } from '../http/problem.ts';
import { type FromWorker, sharedSetup, type WorkerAnswer, type WorkerRequest } from './protocol.ts';
import type { Waiting } from './template-queue.ts';
import type { Rendered, TemplateError } from './templates.ts';
import { usedByOther } from './thread-time.ts';

/** Milliseconds of its thread's time that a request may take before its worker is ended, which takes a few more. */
const LONGEST = 85;
/** A thread that waits for a processor is given more by the clock, but not without end. */
const MAX_BY_CLOCK = 3000;
const LOOK_EVERY = 8;
/** When the thread is asked first how much it has used. */
const ASKED_AFTER = 45;
/** Until a worker takes up what it was sent first. */
const MAX_START = 30_000;

export interface TemplateRequest extends Waiting {
  request: WorkerRequest;
  size: number;
  answer(results: Rendered[]): void;
  refuse(problem: Problem): void;
}

export interface TemplateThreadDeps {
  /** Milliseconds without work until the worker ends. */
  idleAfter: number;
  answered(asked: TemplateRequest, answer: WorkerAnswer): void;
  /** A request that took too long or too much. */
  ended(asked: TemplateRequest, fault: TemplateError, spent: number): void;
  /** The worker failed by a fault of ours, with what it worked on. */
  failed(asked: TemplateRequest | undefined, error: unknown): void;
  free(): void;
  /** The worker has ended; `left` are the requests that it never started. */
  gone(left: TemplateRequest[]): void;
}

export interface TemplateThread {
  isFree(): boolean;
  sent(): readonly TemplateRequest[];
  send(batch: TemplateRequest[]): void;
  stop(): Promise<void>;
}

const TOO_LONG: TemplateError = {
  code: 'template_timeout',
  detail: 'Rendering was stopped because it took too long.',
};
const TOO_LARGE: TemplateError = {
  code: 'template_too_large',
  detail: 'Rendering was stopped because it used too much memory.',
};

export function startTemplateThread(deps: TemplateThreadDeps): TemplateThread {
  const shared = sharedSetup();
  const { begun, thread, usedBefore } = shared;
  const worker = new Worker(new URL('./worker-entry.js', import.meta.url), {
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 },
    env: {},
    stdin: false,
    name: 'templates',
  });
  worker.unref();
  /** Sent and not answered, in order. */
  let sent: TemplateRequest[] = [];
  /** Requests that it had begun with before those in `sent`. */
  let before = 0;
  let over = false;
  /** What it is at: since when, when it is ended, and when it is asked how much of its time that took. */
  let current = { begun: 0, at: 0, endAt: 0, askAt: 0 };
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

  function check(): void {
    const now = performance.now();
    const number = Atomics.load(begun, 0);
    if (number === before) {
      if (now - sentAt < MAX_START) return;
      deps.failed(sent.shift(), new Error('a template worker did not start'));
    } else if (number !== current.begun) {
      current = { begun: number, at: now, endAt: now + LONGEST, askAt: now + ASKED_AFTER };
      return;
    } else if (now < current.endAt || mayGoOn(now)) {
      if (now >= current.askAt) ask(number);
      return;
    } else stopCurrent(TOO_LONG, LONGEST);
    void worker.terminate();
    end();
  }

  /** Whether it has only waited for a processor. Sets when to look again. */
  function mayGoOn(now: number): boolean {
    const used = usedByOther(thread[0]!);
    if (used === null) return false;
    allow(LONGEST - (used - usedBefore[0]!), now);
    return now < current.endAt;
  }

  /** @param left milliseconds of its thread's time that it has left */
  function allow(left: number, now: number): void {
    current.endAt = Math.min(now + Math.max(0, left), current.at + MAX_BY_CLOCK);
    current.askAt = left > 10 ? now + left * 0.6 : Infinity;
  }

  /** Where the kernel doesn't tell, the thread itself does, but not while V8 is at something long. */
  function ask(number: number): void {
    current.askAt = Infinity;
    if (usedByOther(thread[0]!) !== null) return;
    const answered = ({ user, system }: { user: number; system: number }): void => {
      if (!over && current.begun === number)
        allow(LONGEST - ((user + system) / 1000 - usedBefore[0]!), performance.now());
    };
    worker.cpuUsage().then(answered, () => undefined); // an ended worker uses no time
  }

  /** Of those in `sent`, the worker is at one; the ones before it are done, but their answers are lost with it. */
  function stopCurrent(fault: TemplateError, spent: number): void {
    const index = Atomics.load(begun, 0) - before - 1;
    const [guilty] = index >= 0 ? sent.splice(index, 1) : [];
    if (guilty) deps.ended(guilty, fault, spent);
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
      worker.ref();
      watch ??= setInterval(check, LOOK_EVERY);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(batch.map(({ request }) => request));
    },
    async stop() {
      end();
      await worker.terminate();
    },
  };
}
