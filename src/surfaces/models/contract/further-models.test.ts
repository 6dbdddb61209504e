import { afterEach, describe, expect, test } from 'vitest';
import {
  CALL,
  type CallWorld,
  createCallWorld,
  createOutput,
  json,
  toUsage,
  assertSettled,
  getProblem,
} from '../../../../test/support/models/call-world.ts';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Target } from './model-catalog.ts';
import { toCallBody } from './call-body.ts';

let world: CallWorld;
afterEach(() => assertSettled(world));

const COMPLETION = { choices: [{ message: { content: 'Hello' } }], usage: toUsage(3, 2) };

describe('models that a call names beside its own', () => {
  const names = (models: unknown, more: object = {}) => ({
    ...CALL,
    body: { ...CALL.body, models, ...more },
  });
  const target = { providerSlug: 'a', modelFields: 'checked' } as const;
  /** The provider has the model of the call, `dear`, which costs a thousand times as much, and an alias of it. */
  const start = async (given: Partial<Target> = target): Promise<CallWorld> => {
    world = createCallWorld([json(COMPLETION)], { target: given });
    const { catalog } = world;
    const own = (await catalog.resolve('', '')).targets[0]!;
    const dear = {
      ...own,
      upstreamModel: 'dear',
      price: { input: 1_000, cachedInput: 1_000, output: 1_000 },
    };
    catalog.resolve = async (_, model) => {
      if (model === 'route/r') return { route: 'r', targets: [own] };
      if (model === 'a/dear' || model === 'a/alias') return { route: null, targets: [dear] };
      throw new Problem('not_found', 'There is no such model.');
    };
    return world;
  };

  test('are reserved at the highest price, and settled at it', async () => {
    const { run, admitted, completed } = await start();
    await run(names(['dear']));
    expect(admitted[0]!.worst.cost).toBe(admitted[0]!.worst.tokens * 1_000);
    expect(completed[0]!.cost).toBe(5 * 1_000);
  });

  test.each([
    ['an unknown model', names(['unknown']), '/models/0'],
    ['the name of an alias, which is another model at the provider', names(['alias']), '/models/0'],
    ['no list of names', names([{ id: 'dear' }]), '/models'],
    ['fallbacks', { ...CALL, body: { ...CALL.body, fallbacks: ['dear'] } }, null],
  ])('are rejected: %s', async (_, call, pointer) => {
    const { run, admitted } = await start();
    const problem = await getProblem(run(call));
    expect(problem).toMatchObject({ code: 'unsupported_by_provider', status: 422 });
    expect(problem.errors[0]!.pointer).toBe(pointer ?? '/fallbacks');
    expect(admitted).toEqual([]);
  });

  test.each([
    ['models', '/models'],
    ['fallbacks', '/fallbacks'],
    ['context_window_fallbacks', '/context_window_fallbacks'],
    ['user_config', '/user_config'],
  ])('are rejected in %s for a provider whose reading of it is not known', async (field, pointer) => {
    const { run } = await start({ ...target, modelFields: 'refused' });
    const direct = await getProblem(run({ ...CALL, body: { ...CALL.body, [field]: ['m'] } }));
    expect(direct.errors[0]!.pointer).toBe(pointer);
    const nested = await getProblem(run({ ...CALL, body: { ...CALL.body, extra_body: { [field]: ['m'] } } }));
    expect(nested.errors[0]!.pointer).toBe(`/extra_body${pointer}`);
  });

  test('are no matter to a provider that does not read them', async () => {
    const { run, completed } = await start({ ...target, modelFields: null });
    await run(names(['unknown'], { fallbacks: ['x'] }));
    expect(completed).toMatchObject([{ outcome: 'succeeded' }]);
  });

  test('are compared with the models that the key may call', async () => {
    const { calls, admitted } = await start();
    const actor = {
      ...CALL.actor,
      kind: 'api_key',
      allowedModels: new Set(['route/r']),
    } as unknown as WorkspaceActor;
    const { body, ...rest } = names(['dear']);
    const request = { ...rest, actor, body: toCallBody('chat/completions', body) };
    const problem = await getProblem(calls.run(request, createOutput()));
    expect(problem).toMatchObject({ code: 'model_not_allowed', errors: [{ pointer: '/models/0' }] });
    expect(admitted).toEqual([]);
  });
});
