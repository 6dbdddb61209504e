/** Parameters of operations, as OpenAPI: those that are declared, and the headers that follow from the declaration. */
import { getExample } from '../../platform/http/example.ts';
import type { Hoist } from './openapi-schemas.ts';
import { isWrite, type OperationSpec, takesIdempotencyKey, takesIfMatch } from './operation.ts';

type Json = Record<string, unknown>;

/**
 * The example of a parameter. Examples of optional parameters are marked, so that calls that a reference builds from
 * examples omit them: all filters together would match nothing.
 */
const exampleParts = (value: unknown, required: boolean): Json =>
  required ? { example: value } : { examples: { default: { value, 'x-disabled': true } } };

const headerParameter = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  ...exampleParts(example, false),
  schema: { type: 'string' },
});

const HEADERS = {
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    'Makes the request safe to retry: the same key returns the first response for 24 hours. 1 to 255 characters.',
    '5f1c2a3e',
  ),
  IfMatch: headerParameter(
    'If-Match',
    'The ETag of the version that you read. The request fails with 412 if the object was edited since. Counters are ignored.',
    '"3-9f2c0a6b1d4e8f7a5c3b"',
  ),
  IfNoneMatch: headerParameter(
    'If-None-Match',
    'The ETag of the version that you have. The response is 304 if nothing changed, including counters.',
    '"3-9f2c0a6b1d4e8f7a5c3b"',
  ),
  WorkspaceHeader: headerParameter(
    'Fairlead-Workspace',
    'The ID of the workspace, if you authenticate with a session cookie. API keys use their own workspace.',
    'ws_01h2xcejqtf2nbrexx3vqjhp41',
  ),
};

export interface Parameters {
  /** All parameters of an operation: of the path, of the query, then headers. */
  of(spec: OperationSpec): Json[];
  /** `components.parameters`: headers, and the parameters that have a title. */
  parameters: Json;
}

function toHeaders(spec: OperationSpec): (keyof typeof HEADERS)[] {
  const names: (keyof typeof HEADERS)[] = [];
  if (takesIdempotencyKey(spec)) names.push('IdempotencyKey');
  if (takesIfMatch(spec)) names.push('IfMatch');
  // Exports are written directly from the database and have no ETag.
  const isExport = spec.path.endsWith('/export');
  if (spec.method === 'GET' && spec.params && !spec.confidential && !isExport) names.push('IfNoneMatch');
  if (spec.access !== 'public' && spec.access !== 'user') names.push('WorkspaceHeader');
  return names;
}

/** Writes with a session cookie must come from this server's own pages; browsers send the header automatically. */
const originParameter = (baseUrl: string): Json => ({
  name: 'Origin',
  in: 'header',
  required: false,
  description: 'With a session cookie, the origin of this server. Browsers send it automatically.',
  example: baseUrl,
  schema: { type: 'string' },
});

/** Collects the parameters of a document. `of` throws if two that have the same title differ. */
export function createParameters(hoist: Hoist, baseUrl: string): Parameters {
  const parameters: Json = { ...HEADERS };

  const share = (name: string, parameter: Json): Json => {
    parameters[name] ??= parameter;
    if (JSON.stringify(parameters[name]) !== JSON.stringify(parameter))
      throw new Error(`Two parameters have the title ${name}: ${JSON.stringify(parameter)}`);
    return { $ref: `#/components/parameters/${name}` };
  };

  const from = (schema: unknown, where: 'path' | 'query'): Json[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, part]) => {
      const { title, description, examples: _examples, ...rest } = part;
      const isRequired = where === 'path' || required.includes(name);
      const parameter = {
        name,
        in: where,
        required: isRequired,
        description,
        ...exampleParts(getExample(part), isRequired),
        schema: hoist(rest),
      };
      return typeof title === 'string' ? share(title, parameter) : parameter;
    });
  };

  const of = (spec: OperationSpec): Json[] => [
    ...from(spec.params, 'path'),
    ...from(spec.query, 'query'),
    ...toHeaders(spec).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(spec.access === 'user' && isWrite(spec) ? [share('OriginHeader', originParameter(baseUrl))] : []),
  ];
  return { of, parameters };
}
