/** Model operations in OpenAI's shapes: an OpenAI client pointed at /api/v1 works unchanged. */
import type { Guard } from '../../core/auth/guard.ts';
import { type Operation, operation } from '../../core/api/operation.ts';
import { toCompleteList } from '../../platform/http/pagination.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { openAnswer } from '../../core/api/stream.ts';
import { ChatAnswer, ChatBody, Model, ModelParams } from './model.schema.ts';
import * as service from './model.service.ts';

const MODEL_BODY_LIMIT = 32 * 1024 * 1024;

export interface ModelDeps {
  guard: Guard;
  getProviders: service.ProvidersOf;
}

export const modelOperations = ({ guard, getProviders: providersOf }: ModelDeps): Operation[] => [
  operation(
    {
      id: 'models.list',
      method: 'GET',
      path: '/models',
      tag: 'Models',
      summary: 'List models',
      description: 'Returns all models in one response, as OpenAI clients expect.',
      access: 'models:read',
      success: { status: 200, description: 'The models.', schema: toListSchema(Model) },
      openAi: true,
    },
    async ({ actor }) => {
      const models = await service.listModels(providersOf, actor.workspaceId);
      return { body: toCompleteList(models.map(service.presentModel)) };
    },
  ),
  operation(
    {
      id: 'models.get',
      method: 'GET',
      path: '/models/{id*}',
      tag: 'Models',
      summary: 'Get a model',
      access: 'models:read',
      params: ModelParams,
      success: { status: 200, description: 'The model.', schema: Model },
      openAi: true,
    },
    async ({ actor, params }) => {
      const { model } = await service.findModel(providersOf, actor.workspaceId, params.id);
      return { body: service.presentModel(model) };
    },
  ),
  operation(
    {
      id: 'chat.completions',
      method: 'POST',
      path: '/chat/completions',
      whenFull: 'goes_on',
      tag: 'Models',
      summary: 'Chat with a model',
      description:
        'Compatible with the OpenAI chat completions API. With `stream: true` the response is `text/event-stream`. Token usage is counted per key in `GET /usage`.',
      access: 'models:invoke',
      body: ChatBody,
      bodyExample: { model: 'fairlead/echo', messages: [{ role: 'user', content: 'Hello!' }] },
      success: { status: 200, description: 'The completion.', schema: ChatAnswer },
      errors: ['not_found', 'model_provider_error'],
      bodyLimit: MODEL_BODY_LIMIT,
      idempotency: 'refused',
      transaction: 'none',
      openBody: true,
      produces: ['text/event-stream'],
      openAi: true,
    },
    async ({ actor, body, unit, traceparent, reply, request }) => {
      const { provider } = await service.findModel(providersOf, actor.workspaceId, body.model);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const answer = await provider.chat(body, { signal: gone.signal, traceparent });
      const count = () => service.countUsage(unit, actor.workspaceId, actor.id, body.model, answer.usage());
      if (answer.content.kind === 'json') {
        await count();
        return { body: answer.content.body };
      }
      if (!guard.isFresh(actor)) await guard.renew(actor);
      const out = openAnswer(reply, {
        guard,
        actor,
        headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      });
      out.signal.addEventListener('abort', () => gone.abort());
      try {
        for await (const chunk of answer.content.chunks) if (!(await out.write(chunk))) break;
      } catch (error) {
        request.log.warn({ request_id: request.id, err: error }, 'models: stream ended early');
      }
      out.end();
      await count();
      return 'handled';
    },
  ),
];
