/** Embeddings of echo: unit vectors from a hash. Equal inputs have equal vectors; nothing else can be read from them. */
import { createHash } from 'node:crypto';
import type { CallJson } from '../calls/input-size.ts';
import { countTokens } from './echo-text.ts';

const DIMENSIONS = 256;
const MAX_DIMENSIONS = 4_096;

function toVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let at = 0, block = 0; at < dimensions; block++) {
    const digest = createHash('sha256').update(`${block} ${text}`).digest();
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

const countInput = (input: unknown): number =>
  Array.isArray(input)
    ? input.length
    : countTokens(typeof input === 'string' ? input : JSON.stringify(input));

export function toEmbeddings(body: CallJson, { model }: { model: string }): object {
  const { dimensions } = body;
  const length =
    typeof dimensions === 'number' && dimensions >= 1
      ? Math.min(Math.floor(dimensions), MAX_DIMENSIONS)
      : DIMENSIONS;
  const inputs = getInputs(body['input']);
  const tokens = inputs.reduce<number>((sum, input) => sum + countInput(input), 0);
  return {
    object: 'list',
    data: inputs.map((input, index) => {
      const vector = toVector(typeof input === 'string' ? input : JSON.stringify(input), length);
      const embedding =
        body['encoding_format'] === 'base64'
          ? Buffer.from(vector.buffer).toString('base64')
          : Array.from(vector);
      return { object: 'embedding', index, embedding };
    }),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
