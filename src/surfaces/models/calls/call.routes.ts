/** Model calls in OpenAI's shapes: an OpenAI client pointed at /api/v1 works unchanged. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Guard } from '../../../core/auth/guard.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { requestIdToUuid } from '../../../platform/http/ids.ts';
import { type OpenAnswer, type OpenLimits, watchCaller } from '../../../core/api/stream.ts';
import { getSentBytes } from '../../../platform/http/json-body.ts';
import { type CallBody, readCallBody } from '../contract/call-body.ts';
import type { CallMemory } from '../contract/call-memory.ts';
import type { CallJson } from '../contract/input-size.ts';
import type { CallOutput } from '../contract/call-output.ts';
import type { Calls } from './call.service.ts';
import {
  CHAT_EXAMPLE,
  ChatCompletion,
  ChatCompletionBody,
  ChatCompletionChunk,
} from './chat-completion.schema.ts';
import { EMBEDDING_EXAMPLE, EmbeddingBody, EmbeddingList } from './embedding.schema.ts';
import { ModelResponse, RESPONSE_EXAMPLE, ResponseBody } from './response.schema.ts';
import type { CallOperation } from '../contract/upstream.ts';

const BODY_LIMIT = 32 * 1024 * 1024;
/** In this process. A call that waits for its model counts too. */
const LIMITS: OpenLimits = { name: 'model calls', ofActor: 1_000, ofWorkspace: 2_000 };

export interface CallRoutesDeps {
  guard: Guard;
  calls: Calls;
  memory: CallMemory;
}

const COMMON = {
  method: 'POST',
  whenFull: 'goes_on',
  tag: 'Models',
  access: 'models:invoke',
  errors: [
    'not_found',
    'budget_exceeded',
    'model_not_allowed',
    'price_unknown',
    'unsupported_by_provider',
    'model_provider_error',
    'model_provider_timeout',
  ],
  events: ['budget.threshold_reached'],
  bodyLimit: BODY_LIMIT,
  idempotency: 'refused',
  transaction: 'none',
  openBody: true,
  openAi: true,
} as const;

const PASSES = 'Fields and query parameters are passed to the model provider unchanged, as is its response.';

function getQuery({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

/** The caller over HTTP. */
function toOutput(caller: ReturnType<typeof watchCaller>, guard: Guard, actor: WorkspaceActor): CallOutput {
  let answer: OpenAnswer | null = null;
  return {
    signal: caller.signal,
    async open(status, headers) {
      if (!guard.isFresh(actor)) await guard.renew(actor);
      caller.signal.throwIfAborted();
      answer = caller.open(status, headers);
    },
    write: (chunk) => answer!.write(chunk),
    end: () => answer?.end(),
    cut: () => answer?.cut(),
  };
}

interface CallContext {
  actor: WorkspaceActor;
  body: unknown;
  traceparent: string | null;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Passes the call through. Nothing but the bytes of its body is kept while it waits. */
const execute =
  (deps: CallRoutesDeps, called: CallOperation) =>
  ({ body, ...context }: CallContext): Promise<'handled'> => {
    const read = readCallBody(called, body as CallJson, getSentBytes(body as object));
    context.request.body = undefined;
    return pass(deps, called, read, context);
  };

async function pass(
  { guard, calls, memory }: CallRoutesDeps,
  called: CallOperation,
  body: CallBody,
  { actor, traceparent, request, reply }: Omit<CallContext, 'body'>,
): Promise<'handled'> {
  const caller = watchCaller(reply, { guard, actor, limits: LIMITS, cutsOff: true });
  let release: (() => void) | null = null;
  try {
    release = await memory.hold(actor.workspaceId, body.bytes.length);
    await calls.run(
      {
        id: requestIdToUuid(request.id),
        actor,
        operation: called,
        body,
        query: getQuery(request),
        traceparent,
      },
      toOutput(caller, guard, actor),
    );
  } catch (error) {
    // The response has begun or its caller has left, so no error can be sent.
    if (reply.sent || reply.raw.destroyed) logUnexpected(request, error, caller.signal);
    else throw error;
  } finally {
    caller.release();
    release?.();
  }
  return 'handled';
}

function logUnexpected(request: FastifyRequest, error: unknown, { aborted }: AbortSignal): void {
  if (!aborted) request.log.error({ request_id: request.id, err: error }, 'models: a call failed');
}

export const callOperations = (deps: CallRoutesDeps): Operation[] => [
  operation(
    {
      ...COMMON,
      id: 'chat.completions',
      path: '/chat/completions',
      summary: 'Create a chat completion',
      description: `Compatible with the OpenAI chat completions API. With \`stream: true\` the response is \`text/event-stream\`. ${PASSES}`,
      body: ChatCompletionBody,
      bodyExample: { model: 'fairlead/echo', messages: [{ role: 'user', content: 'Hello!' }] },
      success: {
        status: 200,
        description: 'The completion.',
        schema: ChatCompletion,
        eventSchema: ChatCompletionChunk,
        example: CHAT_EXAMPLE,
      },
      produces: ['text/event-stream'],
    },
    execute(deps, 'chat/completions'),
  ),
  operation(
    {
      ...COMMON,
      id: 'responses.create',
      path: '/responses',
      summary: 'Create a response',
      description: `Compatible with the OpenAI responses API. With \`stream: true\` the response is \`text/event-stream\`. ${PASSES}`,
      body: ResponseBody,
      bodyExample: { model: 'fairlead/echo', input: 'Hello!' },
      success: {
        status: 200,
        description: 'The response.',
        schema: ModelResponse,
        example: RESPONSE_EXAMPLE,
      },
      produces: ['text/event-stream'],
    },
    execute(deps, 'responses'),
  ),
  operation(
    {
      ...COMMON,
      id: 'embeddings.create',
      path: '/embeddings',
      summary: 'Create embeddings',
      description: `Compatible with the OpenAI embeddings API. ${PASSES}`,
      body: EmbeddingBody,
      bodyExample: { model: 'fairlead/echo', input: ['Hello!', 'Goodbye!'] },
      success: {
        status: 200,
        description: 'The vectors.',
        schema: EmbeddingList,
        example: EMBEDDING_EXAMPLE,
      },
    },
    execute(deps, 'embeddings'),
  ),
];
