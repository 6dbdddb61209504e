/**
 * Answers by their schemas: what a schema does not declare is not sent. Each is compiled at its first answer; all of
 * them together would be a tenth of a start's work, and most are never needed in a process's life. Operations share
 * schemas (every one has the problem's), so each schema is compiled once in a process. Limits and
 * missing properties don't count, and a value of another type is shown as it is: what was stored must be shown, and one
 * object that violates its schema would fail the whole answer.
 */
import build, { type Schema } from 'fast-json-stringify';
import { showAnyway } from './show-anyway.ts';
import { withoutDemands } from './without-limits.ts';

type Serialize = (value: unknown) => string;

const compiled = new WeakMap<object, Serialize>();

function serializerFor(schema: Schema & object): Serialize {
  const known = compiled.get(schema);
  if (known) return known;
  const serialize = build(withoutDemands(schema));
  compiled.set(schema, serialize);
  return serialize;
}

/**
 * For Fastify, which asks for the serializer of each route's schemas when it gets ready.
 * @param onMismatch told of each answer that its schema doesn't fit
 */
export const lazySerializers =
  (onMismatch: (error: unknown) => void) =>
  ({ schema }: { schema?: unknown }): Serialize =>
  (value) => {
    const serialize = serializerFor(schema as Schema & object);
    try {
      return serialize(value);
    } catch (error) {
      onMismatch(error);
      return JSON.stringify(showAnyway(schema as object, value));
    }
  };
