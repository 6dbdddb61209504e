/**
 * The row of a call that has ended. It takes at most 300 bytes, so that a page of the table holds many: longer names are
 * cut, the least important first.
 */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { CallResult } from '../contract/call-ledger.ts';
import { type TokenDetails, toTokenDetails } from '../contract/token-details.ts';

export interface EndedCall {
  id: string;
  actor: string;
  operation: string;
  route: string | null;
  result: Omit<CallResult, 'outcome'> & { outcome: CallResult['outcome'] | 'interrupted' };
}

/** Token details of none are absent, and all of them in journals that earlier versions wrote. */
export interface CallRow extends Partial<TokenDetails> {
  id: string;
  actor: string;
  operation: string;
  model: string;
  provider_id: string | null;
  route: string | null;
  outcome: string;
  status: number | null;
  error_code: string | null;
  attempts: string | null;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  is_estimated: boolean;
  cost: number | null;
  first_byte_ms: number | null;
  duration_ms: number;
  is_test: boolean;
}

/** Maximum total size of a row's texts: 300 bytes minus its header, IDs, numbers and padding. */
const MAX_TEXT_BYTES = 183;
const DETAIL_BYTES = 4;
/** Details begin at a multiple of four. */
const MAX_DETAIL_PADDING = 3;
const MAX_MODEL_BYTES = 72;
const MAX_ROUTE_BYTES = 32;
const MAX_CODE_BYTES = 24;
/** No shorter text is worth its bytes. */
const MIN_TEXT_BYTES = 4;

/** Shortens a text to a number of bytes in UTF-8. Never splits a character. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, maxBytes - 3));
  return `${new TextDecoder().decode(bytes, { stream: true })}…`;
}

/** A million USD, in billionths: totals and budgets add up thousands of them. */
const MAX_COST = 1e15;

const toInt = (value: number): number =>
  Math.min(Math.max(0, Math.round(Number.isFinite(value) ? value : 0)), 2 ** 31 - 1);

const toCost = (cost: number | null): number | null =>
  cost === null || Number.isNaN(cost) ? null : Math.min(Math.max(0, Math.round(cost)), MAX_COST);

const size = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text) + 1);

/**
 * Shortens a text to the remaining size.
 * @returns null if that is too little
 */
const cutOptional = (text: string | null, left: number): string | null =>
  text === null || left < MIN_TEXT_BYTES + 1 ? null : cut(text, left - 1);

function toDetails(usage: CallResult['usage']): Partial<TokenDetails> {
  const details = Object.entries(toTokenDetails(usage)).map(([name, count]) => [name, toInt(count)] as const);
  return Object.fromEntries(details.filter(([, count]) => count > 0));
}

/** Builds the row. Only its optional texts depend on how much else it has: totals are grouped by the others. */
export function toCallRow({ id, actor, operation, route, result }: EndedCall): CallRow {
  const details = toDetails(result.usage);
  const count = Object.keys(details).length;
  const kept = {
    actor,
    operation,
    outcome: result.outcome,
    model: cut(result.model, MAX_MODEL_BYTES),
    route: route === null ? null : cut(route, MAX_ROUTE_BYTES),
  };
  const used = Object.values(kept).reduce((sum, text) => sum + size(text), 0);
  const left = MAX_TEXT_BYTES - used - (count && count * DETAIL_BYTES + MAX_DETAIL_PADDING);
  const code = cutOptional(result.errorCode, Math.min(left, MAX_CODE_BYTES + 1));
  const attempts = result.attempts?.length ? result.attempts.join('\n') : null;
  return {
    id,
    ...kept,
    ...details,
    error_code: code,
    provider_id: result.providerId,
    status: result.status,
    attempts: cutOptional(attempts, left - size(code)),
    input_tokens: toInt(result.usage.input),
    cached_tokens: toInt(result.usage.cached),
    output_tokens: toInt(result.usage.output),
    is_estimated: result.isEstimated,
    cost: toCost(result.cost),
    first_byte_ms: result.firstByteMs === null ? null : toInt(result.firstByteMs),
    duration_ms: toInt(result.durationMs),
    is_test: result.isTest ?? false,
  };
}

/** The UTC day on which a call began, `YYYY-MM-DD`. */
export const toCallDay = (id: string): string => timeOfUuid(id).toISOString().slice(0, 10);
