/**
 * The filters of LiquidJS that templates have, ours, and what each may use. Left out are those that evaluate a text as
 * an expression (`where_exp` and its kin): it could be a stranger's.
 */
import { filters as standard } from 'liquidjs';
import { dateFilter } from './date-filter.ts';
import { ExactNumber } from '../json/exact-number.ts';
import { hourFilters } from './hour-filters.ts';
import type { Limits } from './limits.ts';
import { Json, plain, Raw, getSize } from './values.ts';

type Filter = (this: { context: { memoryLimit: Limits } }, value: unknown, ...args: unknown[]) => unknown;

const LEFT_OUT = new Set([
  'where_exp',
  'reject_exp',
  'group_by_exp',
  'has_exp',
  'find_exp',
  'find_index_exp',
  'inspect',
  'jsonify',
]);

/** Those that look for one text in another. */
const SEARCHING = [
  'split',
  'replace',
  'replace_first',
  'replace_last',
  'remove',
  'remove_first',
  'remove_last',
];
/** Those that LiquidJS lets grow a text for nothing. */
const GROWING = [
  'url_encode',
  'url_decode',
  'cgi_escape',
  'uri_escape',
  'slugify',
  'base64_encode',
  'escape',
];
/** Those that keep more for each element than a place in a list, with how many times as much. */
const COSTLY: Record<string, number> = {
  sort: 8,
  sort_natural: 8,
  sample: 4,
  group_by: 16,
  uniq: 4,
  where: 4,
  reject: 4,
  sum: 1,
  has: 4,
  find: 4,
  find_index: 4,
};
/** Those whose result may hold more than what they were given. */
const JOINING = ['push', 'unshift', 'concat', 'group_by'];

/** LiquidJS takes only a plain number for a Unix time. */
const withPlainNumber = (filter: Filter): Filter =>
  function (value: unknown, ...args: unknown[]) {
    return filter.call(this, value instanceof ExactNumber ? Number(value) : value, ...args);
  };

function guarded(name: string, filter: Filter): Filter {
  const searches = SEARCHING.includes(name);
  const grows = GROWING.includes(name);
  const joins = JOINING.includes(name);
  const times = COSTLY[name] ?? 0;
  if (!searches && !grows && !joins && !times) return filter;
  return function (value: unknown, ...args: unknown[]) {
    const limits = this.context.memoryLimit;
    if (searches) limits.search(plain(value).length, plain(args[0]).length);
    if (grows) limits.use(plain(value).length * 3);
    if (times && Array.isArray(value)) limits.use(value.length * times);
    if (joins) for (const part of [value, ...args]) limits.use(getSize(part, limits.left()));
    if (name === 'group_by') limits.use(getSize(value, limits.left()));
    return filter.call(this, value, ...args);
  };
}

const own: Record<string, Filter> = {
  json(value: unknown) {
    const whole = value instanceof Json ? value.value : value instanceof Raw ? value.text : value;
    this.context.memoryLimit.use(getSize(whole, this.context.memoryLimit.left()));
    return new Json(whole, JSON.stringify(whole ?? null));
  },
  raw: (value: unknown) => new Raw(plain(value)),
  contains_ignore_case(value: unknown, part: unknown) {
    const [whole, sought] = [plain(value), plain(part)];
    this.context.memoryLimit.search(whole.length, sought.length);
    return whole.toLowerCase().includes(sought.toLowerCase());
  },
};

/** By name. */
export function templateFilters(): Record<string, Filter> {
  const all: Record<string, Filter> = {};
  for (const [name, filter] of Object.entries(standard)) {
    if (LEFT_OUT.has(name) || typeof filter !== 'function') continue;
    const limited = guarded(name, filter as unknown as Filter);
    all[name] = name.startsWith('date') ? withPlainNumber(limited) : limited;
  }
  return { ...all, ...own, ...hourFilters, date: withPlainNumber(dateFilter) };
}
