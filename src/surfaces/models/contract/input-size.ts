/** Measures the input of a call, for the reservation at its admission. */
import { countQuarters, toTokens } from './token-estimate.ts';
import type { CallOperation } from './upstream.ts';

/** Parsed JSON of a call's body. Only these fields are read by name. */
export interface CallJson {
  readonly model: string;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly [more: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

export interface InputSize {
  /** UTF-8 bytes of all text, names of fields included: never fewer than its tokens. */
  bytes: number;
  /** Quarters of a token that the text has by its script: an estimate. */
  quarters: number;
  /** Images, audio, videos and files. */
  media: number;
  /** The most tokens that they can have, as far as the call shows them. */
  mediaTokens: number;
  /**
   * Whether the provider adds input that the call does not show: an earlier conversation, a stored prompt, results of its
   * own tools, or a file or video by reference.
   */
  isOpen: boolean;
  /** Members of all objects. */
  members: number;
}

/** Maximum tokens that a provider counts for an image of any size. */
const IMAGE_TOKENS = 5_000;
/** The fewest that are reserved for another medium. */
const MIN_MEDIA_TOKENS = 2_000;
/** Encoded bytes of audio and video for each token: 32 tokens a second at 5 kbit/s. */
const RECORDING_BYTES = 20;
/** Tokens that providers add to a call with tools to explain them to the model. */
const TOOLS_TOKENS = 500;
const MIN_NUMBER_TOKENS = 4;

type Medium = 'image' | 'recording' | 'file';

/** The parts of a message that carry a medium: its kind, and the members that hold it. */
const MEDIA_PARTS = new Map<unknown, readonly [medium: Medium, ...members: string[]]>([
  ['image_url', ['image', 'image_url']],
  ['input_image', ['image', 'image_url', 'file_id']],
  ['image', ['image', 'source']],
  ['input_audio', ['recording', 'input_audio']],
  ['audio', ['recording', 'source']],
  ['video_url', ['recording', 'video_url']],
  ['file', ['file', 'file']],
  ['document', ['file', 'source']],
  ['input_file', ['file', 'file_data', 'file_url', 'file_id']],
]);
/** Members that hold a medium, in such a member or as one. */
const CONTENTS: ReadonlySet<string> = new Set(['data', 'file_data', 'file_url', 'image_url', 'url']);
const REFERENCES: ReadonlySet<string> = new Set(['file_id', 'id']);

const DATA_URL = /^data:[^,]{0,200};base64,/;
const NOT_BASE64 = /[^A-Za-z0-9+/=_-]/;
const MAX_URL = 8_192;
const URL_START = /^(?:https?|gs|s3):\/\/\S*$/i;

/** Fields with which a provider adds input. */
const OPENING_FIELDS = [
  'conversation',
  'mcp_servers',
  'plugins',
  'previous_response_id',
  'prompt',
  'search_parameters',
  'web_search_options',
] as const;
/** Tools that the caller runs: their results are in the next call's input. All others run at the provider. */
const CALLER_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom', undefined]);

/** Returns the decoded length of Base64, with or without the head of a data URL; null if the text is something else. */
function getDecodedLength(text: string): number | null {
  const head = DATA_URL.exec(text)?.[0].length ?? 0;
  const encoded = head ? text.slice(head) : text;
  return NOT_BASE64.test(encoded) ? null : Math.ceil((encoded.length * 3) / 4);
}

function addText(text: string, size: InputSize): void {
  size.bytes += Buffer.byteLength(text);
  size.quarters += countQuarters(text);
}

function addReference(medium: Medium, size: InputSize): void {
  if (medium === 'image') size.mediaTokens += IMAGE_TOKENS;
  else size.isOpen = true;
}

/** Adds the content of a medium. Content that is neither encoded nor a URL counts as text. */
function addContent(medium: Medium, text: string, size: InputSize): void {
  if (text.length <= MAX_URL && URL_START.test(text)) {
    addReference(medium, size);
    return;
  }
  const decoded = getDecodedLength(text);
  if (decoded === null) addText(text, size);
  else if (medium === 'image') size.mediaTokens += IMAGE_TOKENS;
  else
    size.mediaTokens += Math.max(
      MIN_MEDIA_TOKENS,
      medium === 'file' ? decoded : Math.ceil(decoded / RECORDING_BYTES),
    );
}

/** @param medium of which the member may be the content */
function measureMember(name: string, value: unknown, medium: Medium | null, size: InputSize): void {
  size.members += 1;
  addText(name, size);
  if (medium !== null && typeof value === 'string' && CONTENTS.has(name)) {
    addContent(medium, value, size);
    return;
  }
  if (medium !== null && REFERENCES.has(name)) addReference(medium, size);
  measure(value, size);
}

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function measurePart(part: Json, medium: Medium, members: readonly string[], size: InputSize): void {
  size.media += 1;
  for (const [name, value] of Object.entries(part)) {
    const isMedium = members.includes(name);
    if (!isMedium || !isObject(value)) {
      measureMember(name, value, isMedium ? medium : null, size);
      continue;
    }
    size.members += 1;
    addText(name, size);
    for (const [inner, content] of Object.entries(value)) measureMember(inner, content, medium, size);
  }
}

function measure(value: unknown, size: InputSize): void {
  if (typeof value === 'string') addText(value, size);
  else if (typeof value === 'number') {
    size.bytes += Math.max(MIN_NUMBER_TOKENS, String(value).length);
    size.quarters += MIN_NUMBER_TOKENS;
  } else if (Array.isArray(value)) for (const item of value) measure(item, size);
  else if (isObject(value)) {
    const [medium, ...members] = MEDIA_PARTS.get(value['type']) ?? [];
    if (medium !== undefined && members.some((name) => name in value))
      measurePart(value, medium, members, size);
    else for (const [name, item] of Object.entries(value)) measureMember(name, item, null, size);
  }
  // A boolean, or null.
  else size.bytes += 1;
}

const isTokens = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

/** Embeddings take texts as token IDs too: each is one token. */
function countTokenIds(input: unknown): number | null {
  if (isTokens(input)) return input.length;
  if (!Array.isArray(input) || !input.every(isTokens)) return null;
  return input.reduce((sum, tokens) => sum + tokens.length, 0);
}

function isOpenInput(body: CallJson): boolean {
  const { tools } = body;
  return (
    OPENING_FIELDS.some((name) => body[name] !== undefined && body[name] !== null) ||
    (Array.isArray(tools) &&
      tools.some((tool: { type?: unknown } | null) => !CALLER_TOOLS.has(tool?.type ?? undefined)))
  );
}

/** Measures the body of a call; its `model` counts nothing. */
export function measureInput(operation: CallOperation, body: CallJson): InputSize {
  const size: InputSize = {
    bytes: 0,
    quarters: 0,
    media: 0,
    mediaTokens: 0,
    isOpen: isOpenInput(body),
    members: 0,
  };
  for (const [name, value] of Object.entries(body)) {
    const tokens = operation === 'embeddings' && name === 'input' ? countTokenIds(value) : null;
    if (name === 'model' || tokens !== null) size.members += 1;
    else measureMember(name, value, null, size);
    size.bytes += tokens ?? 0;
    size.quarters += (tokens ?? 0) * 4;
  }
  if (Array.isArray(body['tools']) && body['tools'].length > 0) size.bytes += TOOLS_TOKENS;
  return size;
}

/** If a provider does not report it: for each image, audio or file. */
const MEDIA_ESTIMATE = 500;

/** Estimates input tokens of a call whose provider does not report them. */
export const estimateInput = ({ quarters, media }: InputSize): number =>
  toTokens(quarters) + media * MEDIA_ESTIMATE;
