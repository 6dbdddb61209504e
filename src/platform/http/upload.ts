/**
 * Receives multipart/form-data: one part `file`, and fields. The file is streamed to its sink and never held in memory;
 * the sink discards it if the form turns out to be invalid or the client disconnects.
 *
 * Idempotency: a stream can't be compared before it is read, so it is received in full and hashed. Name, declared type,
 * fields and that hash identify the body. A repeated key costs the transfer and changes nothing.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { addAbortListener } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyConfig, type BusboyInstance } from '@fastify/busboy';
import type { TSchema } from 'typebox';
import { tellProgress } from './body-timeout.ts';
import { readJson } from './json-body.ts';
import { type FieldError, invalid, Problem } from './problem.ts';
import { compileValidator } from './validation.ts';

/** What a sink has taken. */
export interface ReceivedFile {
  sha256: Buffer;
  /** Bytes. */
  size: number;
  /** Removes it where nobody has made it theirs. May be called twice. */
  discard(): Promise<void>;
}

export interface UploadForm {
  /** Content types under which the file comes as the whole body, without a form and its fields. */
  raw?: readonly string[];
  /** Fields beside the file; those that are no strings come as JSON. */
  fields: TSchema;
  /** Bytes that the file may have. */
  maxBytes: number;
  /** @throws Problem, or the stream's own error; then nothing is left of it. */
  sink: (stream: Readable, announced: number | null) => Promise<ReceivedFile>;
}

export interface Upload {
  file: ReceivedFile;
  /** As the sender called it; anything. */
  fileName: string | null;
  declaredType: string | null;
  /** Valid by the form's schema. */
  fields: unknown;
  /** Identifies the body when requests are compared. */
  mark: unknown;
}

/** For boundaries, headers of parts, fields. */
const OVERHEAD = 256 * 1024;
const LIMITS: BusboyConfig['limits'] = {
  files: 4,
  fields: 10,
  parts: 12,
  fieldNameSize: 100,
  fieldSize: 64 * 1024,
  headerPairs: 20,
};

const CLOSE = { headers: { connection: 'close' } };
const notMultipart = (): Problem =>
  new Problem('unsupported_media_type', 'The body is not valid multipart/form-data.', CLOSE);
const broken = (): Problem => new Problem('invalid_request', 'The form ended early.', CLOSE);
export const tooLarge = (maxBytes: number): Problem =>
  new Problem('payload_too_large', `A file must have at most ${maxBytes} bytes.`, CLOSE);

/** @returns how many bytes the file of a body has at least, by its headers; null where there is none, or nothing tells */
export function leastBytes(
  { raw = [] }: UploadForm,
  { 'content-length': length, 'content-type': type = '' }: IncomingHttpHeaders,
): number | null {
  const isForm = type.toLowerCase().startsWith('multipart/form-data');
  if (length === undefined || !(isForm || raw.some((one) => type.toLowerCase().startsWith(one)))) return null;
  return Math.max(1, Number(length) - (isForm ? OVERHEAD : 0));
}

interface Parts {
  texts: Map<string, string>;
  faults: FieldError[];
  hasPart: boolean;
  file: { received: Promise<ReceivedFile>; name: string | null; type: string | null } | null;
}

/** Resolves at the end of the form; what is left of the request is thrown away where it fails. */
async function readParts(request: IncomingMessage, form: UploadForm, parts: Parts): Promise<void> {
  let busboy: BusboyInstance;
  try {
    busboy = new Busboy({ headers: request.headers as BusboyConfig['headers'], limits: LIMITS });
  } catch {
    request.resume();
    throw notMultipart(); // busboy tells a missing boundary only by throwing
  }
  const length = request.headers['content-length'];
  const over = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fault = (pointer: string, code: string, detail: string): void =>
    void parts.faults.push({ pointer, code, detail });

  busboy.on('file', (name, stream, fileName, _encoding, type) => {
    parts.hasPart = true;
    stream.on('error', () => undefined); // the sink sees it while it reads; later nobody waits for it
    if (name !== 'file' || parts.file) {
      if (name === 'file') fault('/file', 'too_long', 'only one file is allowed');
      else fault(`/${name}`, 'unknown_field', 'the part that contains the file must be named file');
      stream.resume();
      return;
    }
    const listening = addAbortListener(over.signal, () => stream.destroy(broken()));
    const received = form
      .sink(stream, length === undefined ? null : Number(length))
      .finally(() => listening[Symbol.dispose]());
    received.catch(reject);
    parts.file = { received, name: fileName || null, type: type || null };
  });
  busboy.on('field', (name, value, nameTruncated, valueTruncated) => {
    parts.hasPart = true;
    if (nameTruncated || valueTruncated)
      fault(`/${name}`, 'too_long', `must have at most ${LIMITS!.fieldSize} bytes`);
    else if (parts.texts.has(name)) fault(`/${name}`, 'invalid_value', 'is repeated');
    else parts.texts.set(name, value);
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    busboy.on(limit, () => fault('', 'too_long', 'the form has too many parts'));
  busboy.on('finish', resolve);
  // Whatever it finds fault with: a form that has begun is one that ends early.
  busboy.on('error', () => reject(parts.hasPart ? broken() : notMultipart()));
  const progress = (): void => tellProgress(request);
  const leave = (): void => {
    if (!request.complete) reject(broken());
  };
  request.on('close', leave).on('error', leave);
  if (request.destroyed && !request.complete) reject(broken());
  if (Number(length ?? 0) > form.maxBytes + OVERHEAD) reject(tooLarge(form.maxBytes));
  else request.on('data', progress).pipe(busboy);
  try {
    await promise;
  } catch (error) {
    request.unpipe(busboy);
    busboy.on('error', () => undefined); // of what it is not given any more
    over.abort();
    request.resume();
    throw error;
  } finally {
    request.off('close', leave).off('data', progress);
  }
}

/** Fields that the schema doesn't call strings are read as JSON. */
function getFields({ texts, faults }: Parts, schema: TSchema): Record<string, unknown> {
  const { properties } = schema as unknown as { properties: Record<string, { type?: string }> };
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, text] of texts)
    try {
      const isJson = Object.hasOwn(properties, name) && properties[name]!.type !== 'string';
      fields[name] = isJson ? readJson(Buffer.from(text)) : text;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push({ pointer: `/${name}`, code: 'invalid_json', detail: error.message });
    }
  return fields;
}

/** @returns a reader of such forms. */
export function createUploadReader(form: UploadForm) {
  const validate = compileValidator(form.fields, 'body');
  /** @throws Problem unsupported_media_type, payload_too_large, invalid_request; nothing is left of the file then */
  return async (request: IncomingMessage): Promise<Upload> => {
    const parts: Parts = { texts: new Map(), faults: [], hasPart: false, file: null };
    try {
      await readParts(request, form, parts);
      const fields = getFields(parts, form.fields);
      const checked = validate(fields);
      if ('error' in checked) parts.faults.push(...checked.error.errors);
      if (!parts.file)
        parts.faults.push({ pointer: '/file', code: 'required', detail: 'a file is required' });
      if (parts.faults.length) throw invalid(parts.faults);
      const { received, name, type } = parts.file!;
      const file = await received;
      const mark = { fields, file: { sha256: file.sha256.toString('hex'), name, type } };
      return { file, fileName: name, declaredType: type, fields, mark };
    } catch (error) {
      const file = await parts.file?.received.catch(() => null); // its error is the one that is thrown
      await file?.discard();
      throw error;
    }
  };
}

/** @returns a reader of bodies that are the file itself. */
export function createRawReader(form: UploadForm) {
  /** @throws Problem payload_too_large, invalid_request; nothing is left of the file then */
  return async (request: IncomingMessage): Promise<Upload> => {
    const { 'content-length': length, 'content-type': type = null } = request.headers;
    if (Number(length ?? 0) > form.maxBytes) {
      request.resume();
      throw tooLarge(form.maxBytes);
    }
    const bytes = new PassThrough();
    const progress = (): void => tellProgress(request);
    const leave = (): void => {
      if (!request.complete) bytes.destroy(broken());
    };
    bytes.on('error', () => undefined); // the sink sees it
    request.on('close', leave).on('error', leave);
    if (request.destroyed && !request.complete) leave();
    request.on('data', progress).pipe(bytes);
    try {
      const file = await form.sink(bytes, length === undefined ? null : Number(length));
      const mark = { fields: {}, file: { sha256: file.sha256.toString('hex'), name: null, type } };
      return { file, fileName: null, declaredType: type, fields: {}, mark };
    } catch (error) {
      request.unpipe(bytes);
      request.resume();
      throw error;
    } finally {
      request.off('close', leave).off('data', progress);
    }
  };
}
