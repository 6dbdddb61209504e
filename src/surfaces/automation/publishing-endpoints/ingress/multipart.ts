/**
 * Parses multipart/form-data. Text parts become fields. Files are described but not stored: an endpoint stores only
 * text.
 */
import { createHash } from 'node:crypto';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import { readLosslessJson } from '../../../../platform/http/json-body.ts';
import { invalid, Problem } from '../../../../platform/http/problem.ts';
import { storableText } from '../../../../platform/db/storable-text.ts';
import { createFields, type Fields, pointerTo } from './fields.ts';

const LIMITS: BusboyConfig['limits'] = {
  parts: 1_001,
  fields: 1_001,
  files: 100,
  fieldNameSize: 1_000,
  // The body size is already limited.
  fieldSize: Infinity,
  fileSize: Infinity,
  headerPairs: 50,
};
const MAX_LABEL = 255;

/** A file as templates see it. */
export interface DescribedFile {
  file_name: string | null;
  mime_type: string | null;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

const notMultipart = (): Problem =>
  new Problem('unsupported_media_type', 'The body is not valid multipart/form-data.');

const label = (text: string | undefined): string | null =>
  text ? storableText(text.slice(0, MAX_LABEL)) : null;

/** Parses parts with a JSON content type. */
function toValue(name: string, text: string, type: string): unknown {
  if (type !== 'application/json') return text;
  try {
    return readLosslessJson(Buffer.from(text)) ?? null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalid([{ pointer: pointerTo(name), code: 'invalid_json', detail: error.message }]);
  }
}

function openBusboy(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    throw notMultipart(); // busboy reports a missing boundary only by throwing
  }
}

/**
 * Parses a multipart body.
 * @param contentType including the boundary
 * @throws Problem unsupported_media_type, invalid_request, invalid_json
 */
export async function readMultipart(contentType: string, bytes: Buffer): Promise<unknown> {
  const fields: Fields = createFields();
  const busboy = openBusboy(contentType);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const add = (name: string, value: () => unknown): void => {
    try {
      fields.add(name, value());
    } catch (error) {
      reject(error);
    }
  };
  busboy.on('file', (name, stream, fileName, _encoding, type) => {
    const sha256 = createHash('sha256');
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      sha256.update(chunk);
    });
    stream.on('error', reject);
    stream.on('end', () =>
      add(name, (): DescribedFile => ({
        file_name: label(fileName),
        mime_type: label(type),
        size,
        sha256: sha256.digest('hex'),
      })),
    );
  });
  busboy.on('field', (name, value, nameCut, _valueCut, _encoding, type) => {
    if (nameCut) reject(invalid([{ pointer: '', code: 'too_long', detail: 'a name is too long' }]));
    else add(name, () => toValue(name, value, type));
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    busboy.on(limit, () =>
      reject(invalid([{ pointer: '', code: 'too_long', detail: 'the form has too many parts' }])),
    );
  busboy.on('finish', resolve);
  busboy.on('error', () => reject(notMultipart()));
  busboy.end(bytes);
  await promise;
  return fields.payload();
}
