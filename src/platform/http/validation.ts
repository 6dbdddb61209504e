/**
 * Validation that reports all field errors: JSON pointer, stable code and allowed values; for an unknown field, the
 * most similar known one.
 */
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { getMeaning } from './pattern-words.ts';
import { escapePointer, type FieldError, invalid, type Problem } from './problem.ts';
import { COMMA_LIST } from './schema.ts';

const MAX_FAULTS = 50;
/** Parts of a body in which all faults are looked for; in a larger one the search would take seconds. */
const MAX_PARTS = 5_000;

const options = {
  allErrors: true,
  strict: false,
  verbose: true,
  ownProperties: true,
  discriminator: true,
} as const;
const bodies = new Ajv(options);
const bodiesToFirstFault = new Ajv({ ...options, allErrors: false });
const parameters = new Ajv({ ...options, coerceTypes: true, useDefaults: true });

/** http or https, with a host, no white space or control characters. */
export function isHttpUrl(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what must not be there
  if (/[\s\u0000-\u001f\u007f]/.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

/** Years that four digits can show, whatever the offset makes of them. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIME = 60;
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

function isShowableTime(value: string): boolean {
  const time = Date.parse(value);
  return time >= EARLIEST && time <= LATEST;
}

for (const ajv of [bodies, bodiesToFirstFault, parameters]) {
  (addFormats as unknown as (ajv: Ajv, formats: string[]) => void)(ajv, [
    'date-time',
    'date',
    'email',
    'uuid',
  ]);
  const rfc3339 = ajv.formats['date-time'] as { validate: (value: string) => boolean };
  ajv.addFormat(
    'date-time',
    (value) => value.length <= MAX_TIME && rfc3339.validate(value) && isShowableTime(value),
  );
  ajv.addFormat('http-url', isHttpUrl);
  // For forms: what is typed there isn't shown.
  ajv.addFormat('password', true);
}

const FORMATS: Record<string, [code: string, detail: string]> = {
  'date-time': ['invalid_time', 'must be an RFC 3339 time, as 2026-01-15T09:30:00Z'],
  'http-url': ['invalid_url', 'must be http or https'],
  email: ['invalid_email', 'must be an email address'],
};

/** Levenshtein distance, for names of a few dozen characters. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++)
      current[j] = Math.min(
        previous[j]! + 1,
        current[j - 1]! + 1,
        previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    previous = current;
  }
  return previous[b.length]!;
}

/** "did you mean slug?" where a known name is near, else the empty string. */
export function nearMatch(name: string, known: string[]): string {
  if (name.length > 60) return '';
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate) }))
    .sort((a, b) => a.far - b.far);
  return best && best.far <= Math.max(2, Math.floor(best.candidate.length / 3))
    ? `did you mean ${best.candidate}?`
    : '';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const ID_PATTERN = /^\^([a-z]+_)\[0-7\]/;

/** What a text must look like, by an example where there is one: few read patterns. */
function patternDetail({ params, data, message = 'is not valid', parentSchema }: ErrorObject): string {
  if (data === '') return 'must not be empty';
  const [, prefix] = ID_PATTERN.exec(params.pattern) ?? [];
  if (prefix !== undefined) return `must be an ID that starts with ${prefix}`;
  if (params.pattern === '\\S') return 'must not be blank';
  const [example] = (parentSchema as { examples?: unknown[] }).examples ?? [];
  const meaning = getMeaning(params.pattern) ?? message;
  return typeof example === 'string' ? `${meaning}, such as ${example}` : meaning;
}

const UNITS = { Length: 'character', Items: 'item', Properties: 'field' };

const BOUNDS = {
  minimum: 'at least',
  exclusiveMinimum: 'greater than',
  maximum: 'at most',
  exclusiveMaximum: 'less than',
};

/** "1 item", "200 characters". */
function toCount(limit: number, keyword: string): string {
  const unit = UNITS[keyword.slice(3) as keyof typeof UNITS];
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

function describe(error: ErrorObject): Omit<FieldError, 'pointer'> {
  const { keyword, params, message = 'is not valid' } = error;
  switch (keyword) {
    case 'required':
      return { code: 'required', detail: 'is required' };
    case 'type':
      return { code: 'invalid_type', detail: `must be ${[params.type].flat().join(' or ')}` };
    case 'enum':
      return {
        code: 'invalid_value',
        detail: `must be one of: ${params.allowedValues.slice(0, 60).join(', ')}`,
      };
    case 'anyOf': {
      const names = getAlternatives(error);
      return {
        code: 'invalid_value',
        detail: names ? `must have exactly one of: ${names.join(', ')}` : message,
      };
    }
    case 'const':
      return { code: 'invalid_value', detail: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'pattern':
      return { code: 'invalid_value', detail: patternDetail(error) };
    case 'format': {
      const [code, detail] = FORMATS[params.format] ?? ['invalid_format', message];
      return { code, detail };
    }
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return {
        code: 'too_short',
        detail:
          params.limit === 1 ? 'must not be empty' : `must have at least ${toCount(params.limit, keyword)}`,
      };
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return { code: 'too_long', detail: `must have at most ${toCount(params.limit, keyword)}` };
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return { code: 'out_of_range', detail: `must be ${BOUNDS[keyword]} ${params.limit}` };
    default:
      return { code: 'invalid_value', detail: message };
  }
}

function toFault(error: ErrorObject, at: (path: string) => string): FieldError {
  if (error.keyword === 'required')
    return {
      pointer: at(`${error.instancePath}/${escapePointer(error.params.missingProperty)}`),
      ...describe(error),
    };
  if (error.keyword === 'additionalProperties') {
    const name: string = error.params.additionalProperty;
    const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
    const detail =
      nearMatch(name, known) ||
      (known.length ? `known fields: ${known.join(', ')}` : 'no fields are allowed here');
    return { pointer: at(`${error.instancePath}/${escapePointer(name)}`), code: 'unknown_field', detail };
  }
  if (error.keyword === 'discriminator') return faultOfBranch(error, at);
  return { pointer: at(error.instancePath), ...describe(error) };
}

/** Of the field that says which of several shapes an object has. */
function faultOfBranch(
  { params, instancePath, parentSchema }: ErrorObject,
  at: (path: string) => string,
): FieldError {
  const { tag, tagValue } = params as { tag: string; tagValue: unknown };
  const branches = (parentSchema as { oneOf: { properties: Record<string, { const?: unknown }> }[] }).oneOf;
  const known = branches.map(({ properties }) => properties[tag]?.const);
  const pointer = at(`${instancePath}/${tag}`);
  if (tagValue === undefined) return { pointer, code: 'required', detail: 'is required' };
  return { pointer, code: 'invalid_value', detail: `must be one of: ${known.join(', ')}` };
}

const ofNull = ({ keyword, params, schema }: ErrorObject): boolean =>
  keyword === 'anyOf'
    ? (schema as { type?: string }[]).some(({ type }) => type === 'null')
    : keyword === 'type' && params.type === 'null';

/** For a nullable value with errors inside, drops the error that it must be null. */
function withoutNulls(errors: ErrorObject[]): ErrorObject[] {
  const told = new Set<string>();
  for (const error of errors)
    if (!ofNull(error))
      for (let path = error.instancePath; !told.has(path); path = path.slice(0, path.lastIndexOf('/'))) {
        told.add(path);
        if (path === '') break;
      }
  return errors.filter((error) => !ofNull(error) || !told.has(error.instancePath));
}

type Branch = { properties?: object; required?: string[]; additionalProperties?: boolean };

/** The members of a union of objects that have one member each; null for any other union. */
function getAlternatives({ keyword, schema }: ErrorObject): string[] | null {
  if (keyword !== 'anyOf') return null;
  const names = (schema as Branch[]).map(({ properties = {}, required = [], additionalProperties }) =>
    required.length === 1 && Object.keys(properties).length === 1 && additionalProperties === false
      ? required[0]!
      : null,
  );
  return names.every((name) => name !== null) ? names : null;
}

/**
 * Of a union of objects that have one member each, keeps the errors of the member that was given; if that is not exactly
 * one, the union's own error alone.
 */
function withoutAlternatives(errors: ErrorObject[]): ErrorObject[] {
  return errors
    .filter((union) => getAlternatives(union))
    .reduce((rest, union) => {
      const given = isRecord(union.data) ? Object.keys(union.data) : [];
      const isOne = given.length === 1 && getAlternatives(union)!.includes(given[0]!);
      const place = isOne ? `${union.instancePath}/${escapePointer(given[0]!)}` : null;
      return rest.filter((error) => {
        if (error === union) return place === null;
        if (!error.schemaPath.startsWith(`${union.schemaPath}/`)) return true;
        return place !== null && `${error.instancePath}/`.startsWith(`${place}/`);
      });
    }, errors);
}

/** Branches of a union complain beside the union itself; one fault a place is enough. */
function oneEach(faults: FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return faults.filter(({ pointer, code }) => {
    const mark = code === 'unknown_field' || code === 'required' ? `${pointer} ${code}` : pointer;
    return !seen.has(mark) && seen.add(mark);
  });
}

/** Whether a value has at most so many members and items, at any depth. */
function isSmall(value: unknown, max = MAX_PARTS): boolean {
  const rest = [value];
  for (let parts = 0; rest.length;) {
    const item = rest.pop();
    if (item === null || typeof item !== 'object') continue;
    const inner = Array.isArray(item) ? item : Object.values(item);
    parts += inner.length;
    if (parts > max) return false;
    for (const part of inner) if (part !== null && typeof part === 'object') rest.push(part);
  }
  return true;
}

/** Bodies are checked to their first fault; only of one that is not huge are all others looked for too. */
function bodyValidator(schema: AnySchema): ValidateFunction {
  const first = bodiesToFirstFault.compile(schema);
  let all: ValidateFunction | undefined;
  const validate = ((value: unknown): boolean => {
    if (first(value)) return true;
    const thorough = isSmall(value) ? (all ??= bodies.compile(schema)) : first;
    void thorough(value);
    validate.errors = thorough.errors;
    return false;
  }) as ValidateFunction;
  return validate;
}

type Where = 'body' | 'querystring' | 'params' | 'headers';

/** Joins the values of comma lists that were given by repeating the parameter. */
function joinCommaLists(schema: AnySchema, query: Record<string, unknown>): void {
  const { properties = {} } = schema as { properties?: Record<string, Record<string, unknown>> };
  for (const [name, value] of Object.entries(query))
    if (Array.isArray(value) && Object.hasOwn(properties, name) && properties[name]![COMMA_LIST])
      query[name] = value.join(',');
}

/** Parameters are strings; only one that is repeated arrives as an array. */
const isRepeated = ({ keyword, data }: ErrorObject): boolean => keyword === 'type' && Array.isArray(data);

/**
 * What Fastify calls a validator: returns `{ error }` with a Problem, or `{ value }`. The schema is compiled at the
 * first value: all of them together would be a fifth of a start's work.
 */
export function compileValidator(schema: AnySchema, where: Where) {
  let compiled: ValidateFunction | undefined;
  const at = (path: string) => (where === 'body' ? path : `?${path.slice(1)}`);
  return (value: unknown): { value: unknown } | { error: Problem } => {
    if (where === 'querystring') joinCommaLists(schema, value as Record<string, unknown>);
    const validate = (compiled ??= where === 'body' ? bodyValidator(schema) : parameters.compile(schema));
    if (validate(value)) return { value };
    const faults = withoutAlternatives(withoutNulls(validate.errors ?? []))
      .filter(({ keyword }) => keyword !== 'if')
      .slice(0, MAX_FAULTS)
      .map((error) =>
        where === 'querystring' && isRepeated(error)
          ? { pointer: at(error.instancePath), code: 'invalid_type', detail: 'must not be repeated' }
          : toFault(error, at),
      );
    return { error: invalid(oneEach(faults)) };
  };
}

/**
 * Faults of text that PostgreSQL cannot store: NUL, and halves of surrogate pairs; the first MAX_FAULTS.
 * Depth is bounded by JSON's own size limit; called only where the raw text shows that it may be needed.
 */
export function unstorableText(value: unknown, pointer = '', faults: FieldError[] = []): FieldError[] {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      faults.push({ pointer, code: 'invalid_text', detail: 'must not contain NUL or an unpaired surrogate' });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length && faults.length < MAX_FAULTS; index++)
      unstorableText(value[index], `${pointer}/${index}`, faults);
  } else if (value !== null && typeof value === 'object')
    for (const [name, item] of Object.entries(value)) {
      if (faults.length >= MAX_FAULTS) break;
      const at = `${pointer}/${escapePointer(name.replaceAll('\0', ''))}`;
      unstorableText(name, at, faults);
      unstorableText(item, at, faults);
    }
  return faults;
}
