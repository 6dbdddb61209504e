/** One line of an import: what it says of a contact, or what is wrong with it. Words of the file stand in no fault: results are kept. */
import { storableText } from '../../db/storable-text.ts';
import { readCell } from '../../http/csv.ts';
import { type Line, METADATA } from './contact-import-file.ts';

export interface LineFault {
  line: number;
  code: string;
  detail: string;
}

export interface LineInput {
  line: number;
  /** Public id or name; null where the file names none. */
  instance: { by: 'id' | 'name'; value: string } | null;
  address: string;
  /** Undefined: the file says nothing of it. */
  name?: string;
  avatar_url?: string;
  metadata?: Record<string, string>;
}

const MOST_NAME = 200;
const MOST_ADDRESS = 500;
const MOST_PAIRS = 50;
const URL = /^https?:\/\/\S+$/i;

/** What a cell holds, as a caller would have written it. */
const cell = (cells: Line['cells'], name: string): string => storableText(readCell(cells[name] ?? '').trim());

function metadataOf(cells: Line['cells']): Record<string, string> | string | undefined {
  const pairs: Record<string, string> = Object.create(null);
  const whole = cell(cells, 'metadata');
  if (whole !== '') {
    let read: unknown;
    try {
      read = JSON.parse(whole);
    } catch {
      return 'metadata must be an object in JSON';
    }
    if (read === null || typeof read !== 'object' || Array.isArray(read))
      return 'metadata must be an object in JSON';
    for (const [key, value] of Object.entries(read)) {
      if (typeof value !== 'string') return 'values of metadata must be strings';
      pairs[storableText(key)] = storableText(value);
    }
  }
  for (const name of Object.keys(cells)) {
    const value = name.startsWith(METADATA) ? cell(cells, name) : '';
    if (value !== '') pairs[storableText(name.slice(METADATA.length))] = value;
  }
  const entries = Object.entries(pairs);
  if (entries.length > MOST_PAIRS) return `metadata has more than ${MOST_PAIRS} pairs`;
  if (entries.some(([key, value]) => key.length > 40 || value.length > 500))
    return 'keys of metadata have at most 40 characters, values 500';
  return entries.length ? { ...pairs } : undefined;
}

function instanceOf(cells: Line['cells']): LineInput['instance'] {
  const id = cell(cells, 'instance_id');
  if (id !== '') return { by: 'id', value: id };
  const name = cell(cells, 'instance');
  return name === '' ? null : { by: 'name', value: name };
}

/** Empty cells say nothing. */
export function readLine({ number: line, cells }: Line): LineInput | LineFault {
  const fault = (code: string, detail: string): LineFault => ({ line, code, detail });
  const address = cell(cells, 'address');
  if (address === '') return fault('required', 'the line has no address');
  if (address.length > MOST_ADDRESS)
    return fault('invalid_address', `an address has at most ${MOST_ADDRESS} characters`);
  const name = cell(cells, 'name');
  if (name.length > MOST_NAME) return fault('too_long', `a name has at most ${MOST_NAME} characters`);
  const avatarUrl = cell(cells, 'avatar_url');
  if (avatarUrl !== '' && (!URL.test(avatarUrl) || avatarUrl.length > 2048))
    return fault('invalid_url', 'avatar_url must be http or https');
  const metadata = metadataOf(cells);
  if (typeof metadata === 'string') return fault('invalid_value', metadata);
  return {
    line,
    instance: instanceOf(cells),
    address,
    ...(name === '' ? {} : { name }),
    ...(avatarUrl === '' ? {} : { avatar_url: avatarUrl }),
    ...(metadata ? { metadata } : {}),
  };
}
