/** Calls of models without a server: scripted upstreams, a catalog and a ledger that record, a caller that collects. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { Problem } from '../../../src/platform/http/problem.ts';
import {
  type CallRequest,
  type Calls,
  createCalls,
} from '../../../src/surfaces/models/calls/call.service.ts';
import { toCallBody } from '../../../src/surfaces/models/contract/call-body.ts';
import type { CallJson } from '../../../src/surfaces/models/contract/input-size.ts';
import type { CallOutput } from '../../../src/surfaces/models/contract/call-output.ts';
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
} from '../../../src/surfaces/models/contract/upstream.ts';
import type { ModelCatalog, Target } from '../../../src/surfaces/models/contract/model-catalog.ts';
import type { CallLedger, CallResult, NewCall } from '../../../src/surfaces/models/contract/call-ledger.ts';

export const data = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
export const delta = (content: string): string => data({ choices: [{ index: 0, delta: { content } }] });
export const ROLE = data({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });
export const STOP = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
export const DONE = data('[DONE]');
export const toUsage = (input: number, output: number): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
export const toUsageFrame = (input: number, output: number): string =>
  data({ choices: [], usage: toUsage(input, output) });

/** How an upstream responds. Chunks are sent in order; a function is awaited, and may throw. */
export interface Script {
  status?: number;
  headers?: Record<string, string>;
  chunks?: readonly (string | ((signal: AbortSignal) => Promise<void>))[];
  /** Thrown instead of a response. */
  error?: UpstreamError;
}

export const stream = (...chunks: NonNullable<Script['chunks']>): Script => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks,
});
export const json = (value: object, status = 200, headers: Record<string, string> = {}): Script => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  chunks: [JSON.stringify(value)],
});
export const fails = (code: UpstreamError['code']): Script => ({
  error: new UpstreamError(code, `It ${code}.`),
});
/** Waits until the call is aborted. */
export const hang = (signal: AbortSignal): Promise<void> =>
  delay(60_000, undefined, { signal }).catch(() => {
    throw new UpstreamError('aborted', 'The call was aborted.');
  });
export const breakOff = async (): Promise<void> => {
  throw new UpstreamError('broken', 'The connection was closed.');
};

export interface ScriptedUpstream extends Upstream {
  requests: (UpstreamRequest & { json: Record<string, unknown> })[];
  /** Chunks that were read. */
  read: number;
  aborted: boolean;
}

function createUpstream(script: Script): ScriptedUpstream {
  const upstream: ScriptedUpstream = {
    requests: [],
    read: 0,
    aborted: false,
    async send(request) {
      upstream.requests.push({ ...request, json: JSON.parse(request.body.toString()) });
      request.signal.addEventListener('abort', () => void (upstream.aborted = true));
      if (script.error) throw script.error;
      async function* body(): AsyncGenerator<Buffer> {
        for (const chunk of script.chunks ?? []) {
          if (request.signal.aborted) throw new UpstreamError('aborted', 'The call was aborted.');
          if (typeof chunk === 'function') await chunk(request.signal);
          else {
            upstream.read += 1;
            yield Buffer.from(chunk);
          }
        }
      }
      return { status: script.status ?? 200, headers: script.headers ?? {}, body: body() };
    },
  };
  return upstream;
}

export interface CollectedOutput extends CallOutput {
  controller: AbortController;
  status: number | null;
  headers: Record<string, string | string[]>;
  text(): string;
  ended: 'end' | 'cut' | null;
}

/** @param onWrite called before each chunk is taken; awaited */
export function createOutput(
  onWrite: (chunk: Uint8Array) => void | Promise<void> = () => {},
): CollectedOutput {
  const controller = new AbortController();
  const parts: Uint8Array[] = [];
  const output: CollectedOutput = {
    controller,
    signal: controller.signal,
    status: null,
    headers: {},
    ended: null,
    async open(status, headers) {
      output.status = status;
      output.headers = headers;
    },
    async write(chunk) {
      await onWrite(chunk);
      if (controller.signal.aborted) return false;
      parts.push(chunk);
      return true;
    },
    end() {
      output.ended ??= 'end';
      controller.abort();
    },
    cut() {
      output.ended ??= 'cut';
      controller.abort();
    },
    text: () => Buffer.concat(parts).toString(),
  };
  return output;
}

const WORKSPACE = 'workspace';
/** A call as a test writes it: with a body that is not read yet. */
export type GivenCall = Omit<CallRequest, 'body'> & { body: CallJson };

export const CALL: GivenCall = {
  actor: { workspaceId: WORKSPACE, id: 'key_1' },
  operation: 'chat/completions',
  body: { model: 'route/r', messages: [{ role: 'user', content: 'Hi' }] },
  query: '',
  traceparent: null,
};
export const STREAMED: GivenCall = { ...CALL, body: { ...CALL.body, stream: true } };

export interface CallWorld {
  upstreams: ScriptedUpstream[];
  admitted: NewCall[];
  completed: CallResult[];
  reports: { model: string; failure: unknown }[];
  /** Slots of targets that are taken. */
  entered: number;
  errors: object[];
  catalog: ModelCatalog;
  calls: Calls;
  run(request?: GivenCall, output?: CollectedOutput): Promise<CollectedOutput>;
}

/** @param scripts of the targets a/m, b/m, …, whose tokens cost 1, 10, 100, … each */
export function createCallWorld(
  scripts: Script[],
  options: {
    route?: string | null;
    target?: Partial<Target>;
    ledger?: Partial<CallLedger>;
    catalog?: Partial<ModelCatalog>;
  } = {},
): CallWorld {
  const upstreams = scripts.map(createUpstream);
  const targets = upstreams.map((upstream, nth): Target => {
    const slug = 'abcdef'[nth]!;
    const price = 10 ** nth;
    return {
      model: `${slug}/m`,
      upstreamModel: `upstream-${slug}`,
      providerId: `provider-${slug}`,
      providerSlug: slug,
      upstream,
      timeoutMs: 5_000,
      price: { input: price, cachedInput: price, output: price },
      maxOutputTokens: 100,
      contextLength: null,
      modelFields: null,
      supports: () => true,
      async enter() {
        world.entered += 1;
        return () => void (world.entered -= 1);
      },
      ...options.target,
    };
  });
  const admitted: NewCall[] = [];
  const completed: CallResult[] = [];
  const reports: CallWorld['reports'] = [];
  const errors: object[] = [];
  const catalog: ModelCatalog = {
    list: async () => [],
    resolve: async () => ({ route: options.route === undefined ? 'r' : options.route, targets }),
    report(_, { model }, failure) {
      const shown = failure instanceof UpstreamError ? failure.code : (failure?.status ?? null);
      reports.push({ model, failure: shown });
    },
    ...options.catalog,
  };
  const ledger: CallLedger = {
    async admit(call) {
      admitted.push(call);
      return { ...call, id: `call-${admitted.length}`, startedAt: performance.now(), storesContent: false };
    },
    async complete(_, result) {
      completed.push(result);
    },
    ...options.ledger,
  };
  const calls = createCalls({
    catalog,
    ledger,
    storeContent: async () => {},
    log: { error: (details) => void errors.push(details) },
  });
  const world: CallWorld = {
    upstreams,
    admitted,
    completed,
    reports,
    entered: 0,
    errors,
    catalog,
    calls,
    async run(request = CALL, output = createOutput()) {
      const body = toCallBody(request.operation, request.body);
      await calls.run({ ...request, body }, output);
      return output;
    },
  };
  return world;
}

/** Asserts that each admitted call was completed once, and no slot stays taken. */
export function assertSettled({ completed, admitted, entered, errors }: CallWorld): void {
  expect(completed).toHaveLength(admitted.length);
  expect(entered).toBe(0);
  expect(errors).toEqual([]);
}

/** Returns the Problem that a call is rejected with. */
export async function getProblem(work: Promise<unknown>): Promise<Problem> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Problem);
  return thrown as Problem;
}
