/** Messages between template-pool.ts and its workers. */
import type { Rendered, Template } from './templates.ts';

export interface WorkerRequest {
  /** JSON; null where templates are only read, not rendered. */
  variables: string | null;
  templates: readonly Template[];
}

export interface WorkerAnswer {
  /** One for each template; of those that were only read, `text` is empty. */
  results: Rendered[];
  /** Milliseconds of CPU time that it took the worker. */
  spent: number;
}

/** Several requests in one message, several answers in one. */
export type ToWorker = readonly WorkerRequest[];
/** In the order of the requests, but not always all in one message. */
export type FromWorker = readonly WorkerAnswer[];

export interface WorkerSetup {
  /** [0]: how many requests this worker has begun with in its life. */
  begun: Int32Array<SharedArrayBuffer>;
  /** [0]: the kernel's number of its thread, 0 where that is unknown. */
  thread: Int32Array<SharedArrayBuffer>;
  /** [0]: milliseconds of CPU time that its thread had used when it began with the latest. */
  usedBefore: Float64Array<SharedArrayBuffer>;
}

/** Memory that both sides see. */
export const sharedSetup = (): WorkerSetup => ({
  begun: new Int32Array(new SharedArrayBuffer(4)),
  thread: new Int32Array(new SharedArrayBuffer(4)),
  usedBefore: new Float64Array(new SharedArrayBuffer(8)),
});
