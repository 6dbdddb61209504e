/** Embeddings of echo: unit vectors from a hash. Equal inputs have equal vectors; nothing else can be read from them. */
import { createHash } from 'node:crypto';
import { invalid } from '../../../platform/http/problem.ts';
import type { CallJson } from '../contract/input-size.ts';
import { countTokens } from './echo-text.ts';

const DIMENSIONS = 256;
const MAX_DIMENSIONS = 4_096;
const MAX_INPUTS = 2_048;
/** Of all vectors of a response: as floats, 5 MB. */
const MAX_NUMBERS = 1_024 * DIMENSIONS;
/** Pieces of a response have about this length, in characters. */
const PIECE = 32 * 1024;

const hash = (...parts: (string | Buffer)[]): Buffer => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest();
};

/** @param seed hash of the input, which may be long */
function toVector(seed: Buffer, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let at = 0, block = 0; at < dimensions; block++) {
    const digest = hash(`${block} `, seed);
    for (let byte = 0; byte < digest.length && at < dimensions; byte += 2)
      vector[at++] = digest.readInt16LE(byte) / 32_768;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Texts, or token IDs of one or several texts. */
function getInputs(input: unknown): unknown[] {
  if (!Array.isArray(input)) return [input];
  return input.length > 0 && typeof input[0] === 'number' ? [input] : input;
}

const toText = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? null);

const countInput = (input: unknown): number =>
  Array.isArray(input) ? input.length : countTokens(toText(input));

/**
 * Returns pieces of JSON, which are created when they are sent. Until then, only a hash of each input is held.
 * @throws Problem invalid_request for more inputs or numbers than echo returns at once
 */
export function toEmbeddings(body: CallJson, { model }: { model: string }): Iterable<string> {
  const { dimensions } = body;
  const length =
    typeof dimensions === 'number' && dimensions >= 1
      ? Math.min(Math.floor(dimensions), MAX_DIMENSIONS)
      : DIMENSIONS;
  const inputs = getInputs(body['input']);
  const most = Math.min(MAX_INPUTS, Math.floor(MAX_NUMBERS / length));
  if (inputs.length > most)
    throw invalid([
      {
        pointer: '/input',
        code: 'too_long',
        detail: `must have at most ${most} items for fairlead/echo at ${length} dimensions`,
      },
    ]);
  const tokens = inputs.reduce<number>((sum, input) => sum + countInput(input), 0);
  const seeds = inputs.map((input) => hash(toText(input)));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return toPieces(seeds, { length, isBase64: body['encoding_format'] === 'base64' }, { model, usage });
}

function* toPieces(
  seeds: Buffer[],
  { length, isBase64 }: { length: number; isBase64: boolean },
  members: object,
): Generator<string> {
  let piece = '{"object":"list","data":[';
  for (const [index, seed] of seeds.entries()) {
    const vector = toVector(seed, length);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    piece += (index ? ',' : '') + JSON.stringify({ object: 'embedding', index, embedding });
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}],${JSON.stringify(members).slice(1)}`;
}
