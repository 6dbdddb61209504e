/**
 * Parses one line of an import into a contact or field errors. Errors never quote the file, because results are stored.
 */
import type { Line } from '../../../core/transfer/import-file.ts';
import { getCell, type ImportLineError, getMetadata } from '../../../core/transfer/import-line.ts';

export interface LineInput {
  line: number;
  /** Public ID or name; null if the line has none. */
  instance: { by: 'id' | 'name'; value: string } | null;
  address: string;
  /** Undefined if the file does not specify it. */
  name?: string;
  avatar_url?: string;
  metadata?: Record<string, string>;
}

const MAX_NAME = 200;
const MAX_ADDRESS = 500;
const URL = /^https?:\/\/\S+$/i;

function getInstance(cells: Line['cells']): LineInput['instance'] {
  const id = getCell(cells, 'instance_id');
  if (id !== '') return { by: 'id', value: id };
  const name = getCell(cells, 'instance');
  return name === '' ? null : { by: 'name', value: name };
}

/** Ignores empty cells. */
export function readLine({ number: line, cells }: Line): LineInput | ImportLineError {
  const fault = (code: string, detail: string): ImportLineError => ({ line, code, detail });
  const address = getCell(cells, 'address');
  if (address === '') return fault('required', 'the line has no address');
  if (address.length > MAX_ADDRESS)
    return fault('invalid_address', `an address must have at most ${MAX_ADDRESS} characters`);
  const name = getCell(cells, 'name');
  if (name.length > MAX_NAME) return fault('too_long', `a name must have at most ${MAX_NAME} characters`);
  const avatarUrl = getCell(cells, 'avatar_url');
  if (avatarUrl !== '' && (!URL.test(avatarUrl) || avatarUrl.length > 2048))
    return fault('invalid_url', 'avatar_url must be http or https');
  const metadata = getMetadata(cells);
  if (typeof metadata === 'string') return fault('invalid_value', metadata);
  return {
    line,
    instance: getInstance(cells),
    address,
    ...(name === '' ? {} : { name }),
    ...(avatarUrl === '' ? {} : { avatar_url: avatarUrl }),
    ...(metadata ? { metadata } : {}),
  };
}
