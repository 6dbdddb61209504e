/** What runs in a worker: it renders what it is sent, one after the other. Whoever sent it ends it when it takes too long. */
import { getPriority, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { parseOwnLossless } from '../json/own-json.ts';
import { createTemplateEngine } from './liquid.ts';
import { createClock } from './limits.ts';
import type { FromWorker, ToWorker, WorkerAnswer, WorkerRequest, WorkerSetup } from './protocol.ts';
import { MAX_RENDERED_TOTAL, type Rendered } from './templates.ts';
import { numberOfThread, usedByThread } from './thread-time.ts';

/**
 * On Linux a priority is a thread's own: what answers requests goes before what renders, where there are too few
 * processors for both. Elsewhere it would be the whole server's.
 */
const yieldToOthers = (): void => setPriority(0, Math.min(19, getPriority(0) + 5));

/** Answers are gathered for so many milliseconds. */
const GATHERED_FOR = 2;

const tooMuch = (): Rendered => ({
  text: null,
  fault: {
    code: 'template_too_large',
    detail: `the templates together render more than ${MAX_RENDERED_TOTAL.toLocaleString('en-US')} characters`,
  },
});

/** Answers from now on, for as long as the thread lives. */
export function serve(port: MessagePort, { begun, thread, usedBefore }: WorkerSetup): void {
  thread[0] = numberOfThread();
  if (thread[0]) yieldToOthers();
  const engine = createTemplateEngine();
  // What V8 has to make ready is not counted to whoever comes first.
  const first = { kind: 'json', source: '{% if a.b == 1 %}{{ a | json }}{% endif %}' } as const;
  engine.render(first, { a: { b: 1 } }, createClock(usedByThread()));

  function answer({ variables, templates }: WorkerRequest): WorkerAnswer {
    const from = usedByThread();
    usedBefore[0] = from;
    Atomics.add(begun, 0, 1);
    const clock = createClock(from);
    const known = variables === null ? null : (parseOwnLossless(variables) as object);
    let made = 0;
    const results = templates.map((template): Rendered => {
      if (known) {
        const rendered = engine.render(template, known, clock);
        made += rendered.text?.length ?? 0;
        return made > MAX_RENDERED_TOTAL ? tooMuch() : rendered;
      }
      const fault = engine.check(template);
      return fault ? { text: null, fault } : { text: '', fault: null };
    });
    return { results, spent: usedByThread() - from };
  }

  port.on('message', (requests: ToWorker) => {
    let answers: WorkerAnswer[] = [];
    let since = performance.now();
    for (const request of requests) {
      answers.push(answer(request));
      const now = performance.now();
      if (now - since < GATHERED_FOR) continue;
      port.postMessage(answers satisfies FromWorker);
      answers = [];
      since = now;
    }
    if (answers.length) port.postMessage(answers satisfies FromWorker);
  });
}
