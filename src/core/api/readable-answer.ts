/**
 * Reduces answers to what their caller may read.
 *
 * A write scope does not include the read scope. The response to a write therefore shows an object in full only if the
 * caller may read it or the call created it, and otherwise only `id` and `object`. Every write that runs in a
 * transaction passes through here (run.ts).
 */
import type { Actor } from '../auth/actor.ts';
import { mayDo, type Scope } from '../vocabulary/scopes.ts';
import { READ_SCOPES } from '../vocabulary/nouns.ts';
import { type Answer, isWrite, type OperationSpec } from './operation.ts';

/** Names the scopes without which an answer was reduced. */
export const MISSING_SCOPE_HEADER = 'fairlead-missing-scope';

const NONE: ReadonlySet<string> = new Set();

interface Reduction {
  scopes: ReadonlySet<Scope>;
  /** IDs of objects that are shown whole. */
  created: ReadonlySet<string>;
  /** Collects the scopes that were missing. */
  missing: Set<Scope>;
}

function reduce(value: unknown, reduction: Reduction): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => reduce(item, reduction));
  const { id, object } = value as { id?: unknown; object?: unknown };
  const scope = typeof id === 'string' ? READ_SCOPES.get(object) : undefined;
  if (scope === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, reduce(item, reduction)]));
  if (mayDo(reduction.scopes, scope) || reduction.created.has(id as string)) return value;
  reduction.missing.add(scope);
  return { id, object };
}

/**
 * Reduces an answer to what the actor may read. Objects that the call created stay whole.
 *
 * @param secrets top-level fields that stay, because they are shown only in this response
 */
export function readableAnswer(
  actor: Actor | null,
  answer: Answer<unknown>,
  secrets: readonly string[] = [],
): Answer<unknown> {
  if (answer.created === true || actor === null || actor.kind === 'user') return answer;
  const missing = new Set<Scope>();
  const reduced = reduce(answer.body, { scopes: actor.scopes, created: answer.created || NONE, missing });
  if (!missing.size) return answer;
  const whole = answer.body as Record<string, unknown>;
  const shownOnce = Object.fromEntries(
    secrets.filter((name) => Object.hasOwn(whole, name)).map((name) => [name, whole[name]]),
  );
  return {
    ...answer,
    body: { ...(reduced as object), ...shownOnce },
    headers: { ...answer.headers, [MISSING_SCOPE_HEADER]: [...missing].join(' ') },
  };
}

function* objectTypesIn(schema: unknown): Generator {
  if (schema === null || typeof schema !== 'object') return;
  const { properties } = schema as { properties?: { id?: unknown; object?: { const?: unknown } } };
  if (properties?.id) yield properties.object?.const;
  for (const part of Object.values(schema)) yield* objectTypesIn(part);
}

/** Returns the scopes without which the answers of an operation are reduced, for its documentation. */
export function scopesOfAnswer(spec: OperationSpec): Scope[] {
  const { success, otherSuccess, access, alsoNeeds = [] } = spec;
  const isReduced = isWrite(spec) && spec.transaction !== 'none' && access !== 'user';
  if (!isReduced) return [];
  const types = [...objectTypesIn(success.schema), ...objectTypesIn(otherSuccess?.schema)];
  const scopes = new Set(types.flatMap((type) => READ_SCOPES.get(type) ?? []));
  return [...scopes].filter((scope) => !alsoNeeds.includes(scope));
}
