/**
 * Writes a language model of a few hundred kB for llama.cpp: the llama architecture with two layers, a vocabulary of all
 * bytes, and seeded random weights. It speaks gibberish of lower-case letters, at the cost of a real model in small.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
const EMBEDDING = 64;
const HEADS = 4;
const LAYERS = 2;
const FEED_FORWARD = 128;
/** Long enough that a test can abort a response before it ends. */
const CONTEXT = 32_768;
const RMS_EPSILON = 1e-5;
/** Position of each tensor's data in the file. */
const ALIGNMENT = 32;
const VERSION = 3;

/** Control tokens, after the 256 bytes. */
const CONTROL_TOKENS = ['<|begin|>', '<|end|>'];
const BEGIN_TOKEN = 256;
const END_TOKEN = 257;
const VOCABULARY = 256 + CONTROL_TOKENS.length;
const NORMAL = 1;
const CONTROL = 3;

/** Types of metadata values. */
const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const STRING = 8;
const ARRAY = 9;
/** Type of tensors. */
const F32 = 0;

/** Value of the first dimension of every embedding. It makes that dimension a constant that the output weights can use. */
const BIAS_DIMENSION = 0;
const BIAS_INPUT = 4;
const LETTER_BIAS = 1.5;
const END_BIAS = 1.3;
const OTHER_BIAS = -4;
const WEIGHT_SCALE = 0.15;

/** Returns evenly distributed numbers from 0 up to 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the characters that GPT-2's byte-level vocabulary writes for the 256 bytes. */
function byteCharacters(): string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}

class Writer {
  readonly #parts: Buffer[] = [];
  length = 0;

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  u32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.raw(bytes);
  }
  u64(value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return this.raw(bytes);
  }
  f32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.raw(bytes);
  }
  string(text: string): this {
    const bytes = Buffer.from(text);
    return this.u64(bytes.length).raw(bytes);
  }
  pad(): this {
    return this.raw(Buffer.alloc((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT));
  }
  toBuffer(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

type Metadata = [name: string, write: (to: Writer) => void];

const u32 = (value: number) => (to: Writer) => void to.u32(UINT32).u32(value);
const f32 = (value: number) => (to: Writer) => void to.u32(FLOAT32).f32(value);
const string = (value: string) => (to: Writer) => void to.u32(STRING).string(value);
const strings = (values: string[]) => (to: Writer) => {
  to.u32(ARRAY).u32(STRING).u64(values.length);
  for (const value of values) to.string(value);
};
const integers = (values: number[]) => (to: Writer) => {
  to.u32(ARRAY).u32(INT32).u64(values.length);
  for (const value of values) to.u32(value);
};

interface Tensor {
  name: string;
  /** The fastest-moving dimension first. */
  dimensions: number[];
  value(column: number, row: number): number;
}

function getTensors(random: () => number): Tensor[] {
  const weights = (name: string, columns: number, rows: number, scale = WEIGHT_SCALE): Tensor => ({
    name,
    dimensions: [columns, rows],
    value: () => (random() * 2 - 1) * scale,
  });
  const ones = (name: string): Tensor => ({ name, dimensions: [EMBEDDING], value: () => 1 });
  const embedding = weights('token_embd.weight', EMBEDDING, VOCABULARY, 1);
  const output = weights('output.weight', EMBEDDING, VOCABULARY);
  const isLetter = (token: number): boolean => (token >= 97 && token <= 122) || token === 32;
  const bias = (token: number): number =>
    isLetter(token) ? LETTER_BIAS : token === END_TOKEN ? END_BIAS : OTHER_BIAS;
  return [
    {
      ...embedding,
      value: (column, row) => (column === BIAS_DIMENSION ? BIAS_INPUT : embedding.value(column, row)),
    },
    ...Array.from({ length: LAYERS }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) =>
        weights(`blk.${layer}.${name}.weight`, EMBEDDING, EMBEDDING),
      ),
      ones(`blk.${layer}.ffn_norm.weight`),
      weights(`blk.${layer}.ffn_gate.weight`, EMBEDDING, FEED_FORWARD),
      weights(`blk.${layer}.ffn_up.weight`, EMBEDDING, FEED_FORWARD),
      weights(`blk.${layer}.ffn_down.weight`, FEED_FORWARD, EMBEDDING),
    ]).flat(),
    ones('output_norm.weight'),
    {
      ...output,
      value: (column, row) => (column === BIAS_DIMENSION ? bias(row) : output.value(column, row)),
    },
  ];
}

/** Returns the file of a model. The same seed gives the same bytes. */
export function tinyGguf(seed: number): Buffer {
  const tensors = getTensors(seededRandom(seed));
  const metadata: Metadata[] = [
    ['general.architecture', string('llama')],
    ['general.name', string('Tiny')],
    ['general.alignment', u32(ALIGNMENT)],
    ['llama.context_length', u32(CONTEXT)],
    ['llama.embedding_length', u32(EMBEDDING)],
    ['llama.block_count', u32(LAYERS)],
    ['llama.feed_forward_length', u32(FEED_FORWARD)],
    ['llama.attention.head_count', u32(HEADS)],
    ['llama.attention.head_count_kv', u32(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', f32(RMS_EPSILON)],
    ['llama.rope.dimension_count', u32(EMBEDDING / HEADS)],
    ['llama.vocab_size', u32(VOCABULARY)],
    ['tokenizer.ggml.model', string('gpt2')],
    ['tokenizer.ggml.pre', string('gpt-2')],
    ['tokenizer.ggml.tokens', strings([...byteCharacters(), ...CONTROL_TOKENS])],
    [
      'tokenizer.ggml.token_type',
      integers([...Array<number>(256).fill(NORMAL), ...CONTROL_TOKENS.map(() => CONTROL)]),
    ],
    // Each byte stays a token of its own.
    ['tokenizer.ggml.merges', strings([])],
    ['tokenizer.ggml.bos_token_id', u32(BEGIN_TOKEN)],
    ['tokenizer.ggml.eos_token_id', u32(END_TOKEN)],
  ];
  const file = new Writer().raw(Buffer.from('GGUF')).u32(VERSION).u64(tensors.length).u64(metadata.length);
  for (const [name, write] of metadata) {
    file.string(name);
    write(file);
  }
  const data = new Writer();
  for (const { name, dimensions, value } of tensors) {
    const [columns = 1, rows = 1] = dimensions;
    file.string(name).u32(dimensions.length);
    for (const dimension of dimensions) file.u64(dimension);
    file.u32(F32).u64(data.length);
    const numbers = new Float32Array(columns * rows);
    for (let at = 0; at < numbers.length; at += 1)
      numbers[at] = value(at % columns, Math.floor(at / columns));
    data.raw(Buffer.from(numbers.buffer)).pad();
  }
  return file.pad().raw(data.toBuffer()).toBuffer();
}
