/** Parses one line of an import into link input or an error. Empty cells are ignored. */
import { tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import type { Line } from '../../../core/transfer/import-file.ts';
import {
  CELL_BOUNDS,
  getCell,
  type ImportLineError,
  getMetadata,
} from '../../../core/transfer/import-line.ts';
import { mapTexts, UTM_NAMES } from '../records/link-fields.schema.ts';
import { UpsertLink, type UpsertLinkBody } from '../records/link.schema.ts';

export interface LineInput {
  line: number;
  body: UpsertLinkBody;
  /** Host of a full short URL; used if it is a domain of the workspace. */
  shortHost: string | null;
  /** Whether the link had a password, which the file does not contain. */
  hadPassword: boolean;
}

const check = compileValidator(UpsertLink, 'body');
const YES = new Set(['true', 'yes', '1']);
const NO = new Set(['false', 'no', '0']);

const invalidCell = (column: string, detail: string): Error => new LineError(column, detail);
class LineError extends Error {
  readonly column: string;
  constructor(column: string, detail: string) {
    super(`${column} ${detail}`);
    this.column = column;
  }
}

function readBoolean(cells: Line['cells'], name: string): boolean | undefined {
  const text = getCell(cells, name).toLowerCase();
  if (text === '') return undefined;
  if (YES.has(text)) return true;
  if (NO.has(text)) return false;
  throw invalidCell(name, 'must be true or false');
}

/**
 * Returns whether a link had a password. Kutt exports true or false, others the password or its hash; all are ignored.
 */
function hadPassword(cells: Line['cells']): boolean {
  const text = getCell(cells, 'has_password').toLowerCase();
  return text !== '' && !NO.has(text);
}

function readNumber(cells: Line['cells'], name: string): number | undefined {
  const text = getCell(cells, name);
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidCell(name, 'must be a whole number');
  return Number(text);
}

function readTime(cells: Line['cells'], name: string): string | undefined {
  const text = getCell(cells, name);
  if (text === '') return undefined;
  const time = new Date(/^\d{10}$/.test(text) ? Number(text) * 1000 : text);
  if (Number.isNaN(time.getTime()))
    throw invalidCell(name, 'must be a timestamp such as 2026-01-15T09:30:00Z');
  return time.toISOString();
}

function readTargeting(cells: Line['cells']): unknown {
  const text = getCell(cells, 'targeting');
  if (text === '') return undefined;
  const value = tryParseForeignJson(text, CELL_BOUNDS);
  if (value === undefined)
    throw invalidCell('targeting', `must be JSON with at most ${CELL_BOUNDS.values} values`);
  return value;
}

/** Parses tags. Shlink separates them by bars, others by commas. */
const parseTags = (text: string): string[] | undefined => {
  const names = text
    .split(/[,|]/)
    .map((name) => name.trim())
    .filter(Boolean);
  return names.length ? names : undefined;
};

/** Parses a short URL, with or without scheme, into host and slug; null if it is invalid. */
function parseShortUrl(shortUrl: string): { host: string; slug: string } | null {
  const url = URL.parse(/^https?:\/\//i.test(shortUrl) ? shortUrl : `https://${shortUrl}`);
  const [, path, ...more] = url?.pathname.split('/') ?? [];
  if (!url || !path || more.some(Boolean)) return null;
  try {
    return { host: url.host, slug: decodeURIComponent(path) };
  } catch {
    return null; // not UTF-8, so not a valid slug
  }
}

function readArchived(cells: Line['cells']): boolean | undefined {
  const state = getCell(cells, 'state').toLowerCase();
  return (
    readBoolean(cells, 'archived') ?? (state === 'archived' ? true : state === 'active' ? false : undefined)
  );
}

function buildBody(cells: Line['cells'], slug: string): Record<string, unknown> {
  const text = (name: string): string | undefined => getCell(cells, name) || undefined;
  const utm = Object.fromEntries(
    UTM_NAMES.flatMap((name) => (text(`utm_${name}`) ? [[name, text(`utm_${name}`)]] : [])),
  );
  const metadata = getMetadata(cells);
  if (typeof metadata === 'string') throw new LineError('metadata', metadata.replace(/^metadata /, ''));
  const all: Record<string, unknown> = {
    url: getCell(cells, 'url'),
    domain: text('domain'),
    slug: slug || undefined,
    ...mapTexts(text),
    image: text('image'),
    tags: parseTags(getCell(cells, 'tags')),
    archived: readArchived(cells),
    expires_at: readTime(cells, 'expires_at'),
    expired_url: text('expired_url'),
    max_clicks: readNumber(cells, 'max_clicks'),
    targeting: readTargeting(cells),
    utm: Object.keys(utm).length ? utm : undefined,
    forward_query: readBoolean(cells, 'forward_query'),
    redirect_status: readNumber(cells, 'redirect_status'),
    external_id: text('external_id'),
    metadata,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function readLine({ number: line, cells }: Line): LineInput | ImportLineError {
  try {
    if (getCell(cells, 'url') === '') return { line, code: 'required', detail: 'url is required' };
    const shortUrl = getCell(cells, 'short_url');
    const short = parseShortUrl(shortUrl);
    const slug = getCell(cells, 'slug') || short?.slug || '';
    // Rejected: with a generated slug, the published short URL would not work.
    if (slug === '' && shortUrl !== '')
      throw invalidCell('short_url', 'must be a host and one slug, such as https://go.example.com/launch');
    const body = buildBody(cells, slug);
    const checked = check(body);
    if ('error' in checked) {
      const [firstError] = checked.error.errors;
      return {
        line,
        code: firstError?.code ?? 'invalid_value',
        detail: `${firstError?.pointer.slice(1) ?? ''} ${firstError?.detail ?? ''}`.trim(),
      };
    }
    return {
      line,
      body: body as UpsertLinkBody,
      shortHost: body['domain'] === undefined ? (short?.host ?? null) : null,
      hadPassword: hadPassword(cells),
    };
  } catch (error) {
    if (error instanceof LineError) return { line, code: 'invalid_value', detail: error.message };
    throw error;
  }
}
