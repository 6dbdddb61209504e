/**
 * Writes once what a finished document repeats: parameters and responses of several operations, the frame of lists, and
 * the fields of schemas that extend another. Changes nothing that the document says.
 */
import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { toPascalCase } from '../../platform/http/schema.ts';

type Json = Record<string, unknown>;

interface ObjectSchema extends Json {
  properties: Json;
  required?: string[];
}

interface SharedOperation extends Json {
  operationId: string;
  parameters: Json[];
  responses: Record<string, Json>;
}

export interface ShareableDocument {
  paths: Record<string, Record<string, SharedOperation>>;
  components: { parameters: Json; responses: Json; schemas: Record<string, Json> };
}

const ARTICLES = new Set(['the', 'a', 'an']);

/** `A page of objects, newest first.` → `PageOfObjects` */
function toName(text: string): string {
  const [clause = ''] = text.toLowerCase().split(/[.,]/);
  const words = clause.match(/\w+/g) ?? [];
  return toPascalCase(words.filter((word) => !ARTICLES.has(word)).join('_'));
}

/** `links.update_bulk` → `LinksUpdateBulk` */
const toTypeName = (operationId: string): string => toPascalCase(operationId.replaceAll('.', '_'));

/** A repeated part, and its names in the order of preference. */
interface Candidate {
  names: string[];
  uses: number;
}

/** Collects parts by their content, then refers to those that occur several times. */
function createPool(kind: 'parameters' | 'responses', components: Json) {
  const candidates = new Map<string, Candidate>();
  return {
    /** @param toNames called for the first use, so that names depend on the order of operations alone */
    count(part: Json, toNames: () => string[]): void {
      if ('$ref' in part) return;
      const text = JSON.stringify(part);
      const known = candidates.get(text);
      if (known) known.uses += 1;
      else candidates.set(text, { names: toNames(), uses: 1 });
    },
    /** @returns a reference, or the part itself if nothing else repeats it */
    share(part: Json): Json {
      const text = JSON.stringify(part);
      const candidate = candidates.get(text);
      if (!candidate || candidate.uses === 1) return part;
      const name = candidate.names.find(
        (one) => components[one] === undefined || isDeepStrictEqual(components[one], part),
      );
      if (name === undefined) throw new Error(`Every name is taken: ${candidate.names.join(', ')}`);
      components[name] = part;
      return { $ref: `#/components/${kind}/${name}` };
    },
  };
}

function shareParts({ paths, components }: ShareableDocument): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const parameters = createPool('parameters', components.parameters);
  const responses = createPool('responses', components.responses);
  for (const { operationId, parameters: given, responses: answers } of operations) {
    const [noun = ''] = operationId.split('.');
    const toNames = (own: string): string[] => [
      `${toPascalCase(noun)}${own}`,
      `${toTypeName(operationId)}${own}`,
    ];
    for (const parameter of given)
      parameters.count(parameter, () => toNames(toPascalCase(String(parameter['name']))));
    for (const [status, response] of Object.entries(answers))
      responses.count(response, () => {
        if (status >= '300') return toNames(STATUS_CODES[status]!.replaceAll(/\W/g, ''));
        const own = toName(String(response['description']));
        return [own, ...toNames(own)];
      });
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters.map(parameters.share);
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, responses.share(response)]),
    );
  }
}

const isObjectSchema = (schema: unknown): schema is ObjectSchema =>
  schema !== null && typeof schema === 'object' && (schema as Json)['properties'] !== undefined;

/** Whether an object by `schema` is always one by `base`. A schema that forbids other fields can't be extended. */
function isExtension(schema: ObjectSchema, base: ObjectSchema): boolean {
  const { properties: fields, required = [], additionalProperties: others } = base;
  return (
    others !== false &&
    schema['additionalProperties'] === others &&
    required.every((name) => schema.required?.includes(name)) &&
    Object.entries(fields).every(
      ([name, field]) =>
        isDeepStrictEqual(schema.properties[name], field) &&
        (required.includes(name) || !schema.required?.includes(name)),
    )
  );
}

/** The schema as the one of that name with more fields. */
function extend(
  { properties, required = [], ...rest }: ObjectSchema,
  base: ObjectSchema,
  name: string,
): Json {
  const own = Object.entries(properties).filter(([field]) => base.properties[field] === undefined);
  const ownRequired = required.filter((field) => base.properties[field] === undefined);
  const { type, additionalProperties, ...annotations } = rest;
  const $ref = `#/components/schemas/${name}`;
  const added = {
    type,
    ...(ownRequired.length > 0 ? { required: ownRequired } : {}),
    properties: Object.fromEntries(own),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
  return {
    ...annotations,
    allOf: own.length > 0 ? [{ $ref }, added] : [{ $ref }],
  };
}

/** A schema extends another whose name its own contains: `WebhookWithSecret` extends `Webhook`. */
function shareFields({ components: { schemas } }: ShareableDocument): void {
  const objects = Object.entries(schemas).filter((entry): entry is [string, ObjectSchema] =>
    isObjectSchema(entry[1]),
  );
  for (const [name, schema] of objects) {
    const [base] = objects
      .filter(([other, one]) => other !== name && name.includes(other) && isExtension(schema, one))
      .sort(([, a], [, b]) => Object.keys(b.properties).length - Object.keys(a.properties).length);
    if (base) schemas[name] = extend(schema, base[1], base[0]);
  }
}

const LIST = 'List';
const LIST_FIELDS = ['object', 'has_more', 'next_cursor'];

/** Replaces the frame of each list in the JSON of responses. */
function shareLists({ paths, components: { schemas } }: ShareableDocument): void {
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const { content } of Object.values(responses) as { content?: Record<string, Json> }[]) {
      const json = content?.['application/json'];
      const schema = json?.['schema'];
      if (!json || !isObjectSchema(schema) || !LIST_FIELDS.every((name) => name in schema.properties))
        continue;
      schemas[LIST] ??= {
        type: 'object',
        description: 'A page of a list.',
        required: LIST_FIELDS,
        properties: Object.fromEntries(LIST_FIELDS.map((name) => [name, schema.properties[name]])),
      };
      const frame = schemas[LIST] as ObjectSchema;
      if (isExtension(schema, frame)) json['schema'] = extend(schema, frame, LIST);
    }
}

/** Shares the repeated parts of a document, in place. @throws Error if two different parts need the same name */
export function shareRepeatedParts(document: ShareableDocument): void {
  shareFields(document);
  shareLists(document);
  shareParts(document);
}
