/** Validates the form of destinations, without templates and without access to the workspace. */
import type { IdKind } from '../../../core/vocabulary/nouns.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { DestinationObject } from './destination.schema.ts';
import { isDynamic, isFileType } from './destination-templates.ts';

const RECIPIENTS = ['to', 'contact_id', 'chat_id', 'group_id'] as const;
const IDS: readonly [keyof DestinationObject, IdKind][] = [
  ['instance_id', 'instance'],
  ['contact_id', 'contact'],
  ['chat_id', 'chat'],
  ['group_id', 'group'],
];
const ONE_OF_THEM = 'one of to, contact_id, chat_id and group_id';

function checkRecipient(destination: DestinationObject, at: string): FieldError[] {
  const [first, ...more] = RECIPIENTS.filter((name) => destination[name] !== null);
  if (first === undefined) return [{ pointer: `${at}/to`, code: 'required', detail: `give ${ONE_OF_THEM}` }];
  return more.map((name) => ({
    pointer: `${at}/${name}`,
    code: 'ambiguous',
    detail: `give only ${ONE_OF_THEM}`,
  }));
}

/** Checks that the fields fit a type that is not a template. */
function checkContent(destination: DestinationObject, types: readonly string[], at: string): FieldError[] {
  const { type, template, media, file_name: fileName } = destination;
  if (isDynamic(type)) return [];
  if (!types.includes(type))
    return [{ pointer: `${at}/type`, code: 'invalid_value', detail: `must be one of ${types.join(', ')}` }];
  const fieldErrors: FieldError[] = [];
  const add = (field: string, code: string, detail: string): void =>
    void fieldErrors.push({ pointer: `${at}/${field}`, code, detail });
  if (isFileType(type)) {
    if (media === null) add('media', 'required', `is required if type is ${type}`);
    return fieldErrors;
  }
  if (template === null) add('template', 'required', `is required if type is ${type}`);
  if (media !== null) add('media', 'unexpected', `the type ${type} has no file`);
  if (fileName !== null) add('file_name', 'unexpected', `the type ${type} has no file`);
  return fieldErrors;
}

/** Schemas check the format of IDs, but not that they decode to a UUID. */
const checkIds = (destination: DestinationObject, at: string): FieldError[] =>
  IDS.filter(([field, kind]) => destination[field] !== null && toUuid(kind, destination[field]) === null).map(
    ([field, kind]) => ({
      pointer: `${at}/${field}`,
      code: 'invalid_value',
      detail: `is not the ID of a ${kind}`,
    }),
  );

/**
 * Validates the form of a destination.
 * @param types all message types
 * @param at prefix of the pointers
 */
export const validateDestination = (
  destination: DestinationObject,
  types: readonly string[],
  at: string,
): FieldError[] => [
  ...checkRecipient(destination, at),
  ...checkIds(destination, at),
  ...checkContent(destination, types, at),
];
