/**
 * Schemas of the JSON in a backup. An attacker may have written it, and its names end up in SQL and in paths, so each
 * has a strict pattern.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import { type JsonBounds, tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import { FORMAT } from './format.ts';

const strict = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const SqlName = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' });
const FullName = Type.String({ pattern: '^(public|pgboss)\\.[a-z_][a-z0-9_]{0,62}$' });
const Text = Type.String({ pattern: '^[ -~]{1,100}$' });
const Migrations = Type.Array(Type.String({ pattern: '^[0-9]{4}_[a-z0-9_]{1,80}$' }), { minItems: 1 });

/** The part of the header that is the same in all versions; it is checked first. */
export const AnyHeader = Type.Object({ format: Type.Literal(FORMAT), version: Count, program: Text });

export const HeaderSchema = Type.Object(
  {
    format: Type.Literal(FORMAT),
    version: Type.Literal(1),
    program: Text,
    made_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    postgresql: Text,
    migrations: Migrations,
    secrets: Type.Array(Type.String({ pattern: '^[0-9a-f]{16}$' }), { minItems: 1, maxItems: 8 }),
    contains: Type.Object({ clicks: Type.Boolean(), media: Type.Boolean(), secret: Type.Boolean() }, strict),
  },
  strict,
);

const OutlineSchema = Type.Object(
  {
    server: Text,
    migrations: Migrations,
    jobs: Type.Union([Type.Null(), Count]),
    tables: Type.Array(
      Type.Object(
        {
          schema: Type.Union([Type.Literal('public'), Type.Literal('pgboss')]),
          name: SqlName,
          columns: Type.Array(SqlName),
          partitions: Type.Array(
            Type.Object(
              {
                name: Type.String({ pattern: '^[a-z_][a-z0-9_]{0,53}_[0-9]{8}$' }),
                fillFactor: Type.Integer({ minimum: 10, maximum: 100 }),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
    counters: Type.Array(
      Type.Object({ table: SqlName, column: SqlName, last: Count, called: Type.Boolean() }, strict),
    ),
  },
  strict,
);

export const ManifestSchema = Type.Object(
  {
    entries: Type.Array(Type.Object({ name: Type.String(), size: Count, sha256: Sha256 }, strict)),
    media: Type.Object({ files: Count, bytes: Count, sha256: Sha256 }, strict),
    tables: Type.Array(
      Type.Object(
        { name: FullName, rows: Count, checksum: Type.String({ pattern: '^[0-9a-f]{32}$' }), bytes: Count },
        strict,
      ),
    ),
    clicks: Type.Object({ segments: Count, bytes: Count }, strict),
    outline: OutlineSchema,
  },
  strict,
);

export const SealSchema = Type.Object({ hmac: Sha256, sha256: Sha256 }, strict);

/** The size is limited where the archive is read, and the process serves no requests. */
const BOUNDS: JsonBounds = { bytes: Infinity, values: Infinity, depth: 16 };

const ajv = new Ajv({ strict: false });
const compiled = new Map<TSchema, ValidateFunction>();

/** @returns the parsed value, or null if it is not valid JSON or does not match the schema */
export function readJson<S extends TSchema>(bytes: Buffer, schema: S): Static<S> | null {
  const value = tryParseForeignJson(bytes, BOUNDS);
  let validate = compiled.get(schema);
  if (!validate) compiled.set(schema, (validate = ajv.compile(schema)));
  return validate(value) ? (value as Static<S>) : null;
}
