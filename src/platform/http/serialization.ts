/**
 * Answers by their schemas: what a schema does not declare is not sent. Each is compiled at its first answer; all of
 * them together would be a tenth of a start's work, and most are never needed in a process's life.
 */
import build, { type Schema } from 'fast-json-stringify';

type Serialize = (value: unknown) => string;

/** For Fastify, which asks for the serialiser of each route's schemas when it gets ready. */
export const lazySerializers =
  () =>
  ({ schema }: { schema?: unknown }): Serialize => {
    let serialize: Serialize | undefined;
    return (value) => (serialize ??= build(schema as Schema))(value);
  };
