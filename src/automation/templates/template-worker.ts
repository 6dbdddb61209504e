/** The worker: renders what it is sent, one after the other, and never anything else. Whoever sent it ends it when it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { createClock } from './limits.ts';
import { createTemplateEngine } from './liquid.ts';
import type { FromWorker, ToWorker, WorkerAnswer, WorkerRequest, WorkerSetup } from './protocol.ts';
import type { Rendered } from './templates.ts';

const { begun } = workerData as WorkerSetup;
const port = parentPort!;
const engine = createTemplateEngine();

/** Answers are gathered for so many milliseconds. */
const GATHERED_FOR = 2;

function answer({ variables, templates }: WorkerRequest): WorkerAnswer {
  const from = performance.now();
  const known = variables === null ? null : (JSON.parse(variables) as object);
  const clock = createClock();
  const results = templates.map((template): Rendered => {
    if (known) return engine.render(template, known, clock);
    const fault = engine.check(template);
    return fault ? { text: null, fault } : { text: '', fault: null };
  });
  return { results, spent: performance.now() - from };
}

port.on('message', (requests: ToWorker) => {
  let answers: WorkerAnswer[] = [];
  let since = performance.now();
  for (const request of requests) {
    Atomics.add(begun, 0, 1);
    answers.push(answer(request));
    const now = performance.now();
    if (now - since < GATHERED_FOR) continue;
    port.postMessage(answers satisfies FromWorker);
    answers = [];
    since = now;
  }
  if (answers.length) port.postMessage(answers satisfies FromWorker);
});
