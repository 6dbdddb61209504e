/**
 * The body of a call: its bytes, and what the pipeline reads of them.
 *
 * A call keeps the bytes that it received while it waits, and not what was parsed of them, which takes up to twenty times
 * their size. They go to the upstream as they came, but for the name of the model and the request for usage.
 */
import { outlineObject, type JsonMember, replaceValues } from '../../../platform/json/json-members.ts';
import { storableText } from '../../../platform/db/storable-text.ts';
import { invalid, Problem } from '../../../platform/http/problem.ts';
import { type FurtherModels, readFurtherModels } from './further-models.ts';
import { type CallJson, type InputSize, measureInput } from './input-size.ts';
import type { CallOperation } from './upstream.ts';
import { type OutputLimit, readOutputLimit } from './worst-case.ts';

export interface CallBody {
  model: string;
  /** Whether the caller asked for server-sent events. */
  stream: boolean;
  /** Whether the caller sent `stream_options`. */
  hasStreamOptions: boolean;
  /** Whether the caller asked for the usage of a stream. */
  includesUsage: boolean;
  /** JSON in UTF-8, as it was sent. */
  bytes: Buffer;
  size: InputSize;
  output: OutputLimit;
  furtherModels: FurtherModels;
  /** Members of the outermost object that may be replaced. */
  places: { open: number; model: JsonMember; streamOptions: JsonMember | null };
}

/** Rejects duplicate members, which JSON parsers resolve differently: some take the first, some the last. */
const duplicateMembers = (): Problem =>
  new Problem('invalid_json', 'An object of the body has two members of the same name.');

/**
 * Reads the body of a call, once.
 * @param body what was parsed of the bytes; nothing keeps it
 * @param bytes valid JSON in UTF-8 without a byte order mark
 * @throws Problem invalid_json if an object has two members of the same name; invalid_request for a response in the background
 */
export function readCallBody(operation: CallOperation, body: CallJson, bytes: Buffer): CallBody {
  const { model, stream, stream_options: options } = body;
  if (storableText(model) !== model)
    throw invalid([{ pointer: '/model', code: 'invalid_text', detail: 'must not contain a NUL character' }]);
  if (operation === 'responses' && body['background'] === true)
    throw invalid([
      {
        pointer: '/background',
        code: 'not_supported',
        detail:
          'must not be true: a response in the background cannot be retrieved through this API. Use `stream`',
      },
    ]);
  const size = measureInput(operation, body);
  const { open, members, count } = outlineObject(bytes);
  if (count !== size.members) throw duplicateMembers();
  return {
    model,
    stream: stream === true,
    hasStreamOptions: options !== undefined && options !== null,
    includesUsage: options?.include_usage === true,
    bytes,
    size,
    output: readOutputLimit(operation, body),
    furtherModels: readFurtherModels(body),
    places: {
      open,
      model: members.find(({ name }) => name === 'model')!,
      streamOptions: members.find(({ name }) => name === 'stream_options') ?? null,
    },
  };
}

/** Creates the body of a call from within. */
export const toCallBody = (operation: CallOperation, body: CallJson): CallBody =>
  readCallBody(operation, body, Buffer.from(JSON.stringify(body)));

/** Whether a stream reports its usage only if it is asked to, and the caller did not ask. */
export const needsUsage = (operation: CallOperation, { stream, includesUsage }: CallBody): boolean =>
  operation === 'chat/completions' && stream && !includesUsage;

const ASK = '"include_usage":true';

/** Asks a stream for its usage, beside the options that the caller gave. */
function askForUsage({ bytes, places: { streamOptions } }: CallBody): Buffer {
  const given = streamOptions && bytes.subarray(streamOptions.start, streamOptions.end);
  if (!given || given[0] !== 123) return Buffer.from(`{${ASK}}`);
  const { open, members } = outlineObject(given);
  const asked = members.find(({ name }) => name === 'include_usage');
  if (asked) return replaceValues(given, [{ member: asked, value: Buffer.from('true') }]);
  return Buffer.concat([
    given.subarray(0, open),
    Buffer.from(members.length ? `${ASK},` : ASK),
    given.subarray(open),
  ]);
}

/** Returns the JSON with the upstream's name of the model. @param asksUsage whether to ask a chat stream for its usage */
export function toUpstreamBody(body: CallBody, upstreamModel: string, asksUsage: boolean): Buffer {
  const { bytes, places } = body;
  const { open, model, streamOptions } = places;
  const name = Buffer.from(JSON.stringify(upstreamModel));
  if (!asksUsage) return replaceValues(bytes, [{ member: model, value: name }]);
  const options = askForUsage(body);
  if (streamOptions)
    return replaceValues(bytes, [
      { member: model, value: name },
      { member: streamOptions, value: options },
    ]);
  const added = { name: 'stream_options', start: open, end: open };
  return replaceValues(bytes, [
    { member: added, value: Buffer.concat([Buffer.from('"stream_options":'), options, Buffer.from(',')]) },
    { member: model, value: name },
  ]);
}
