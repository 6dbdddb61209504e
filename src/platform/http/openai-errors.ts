/**
 * Errors as OpenAI's clients read them: a member `error` beside the problem's own, with the codes and types that OpenAI
 * has for a fault, where it has one. Its message names the fault, as clients show nothing else.
 */
import type { ErrorCode } from './errors.ts';
import type { FieldError, Problem } from './problem.ts';

/** Paths below the API's prefix that OpenAI's clients call; most have no operation. Some clients add `/v1` once more. */
const PATHS =
  /^\/(?:v1\/)?(?:models|chat|responses|embeddings|completions|audio|images|videos|moderations|rerank|files|uploads|batches|fine_tuning|vector_stores|assistants|threads|conversations|containers|evals|realtime)(?:\/|\?|$)/;

/** @param target path and query below the API's prefix */
export const isOpenAiPath = (target: string): boolean => PATHS.test(target);

const CODES: Partial<Record<ErrorCode, string>> = {
  invalid_key: 'invalid_api_key',
  key_expired: 'invalid_api_key',
  key_revoked: 'invalid_api_key',
  not_signed_in: 'invalid_api_key',
  not_found: 'unknown_url',
  method_not_allowed: 'method_not_supported',
  rate_limited: 'rate_limit_exceeded',
};
const FAULT_CODES: Record<string, string> = {
  required: 'missing_required_parameter',
  unknown_field: 'unknown_parameter',
};

/** `/messages/0/content` → `messages[0].content`; `?limit` → `limit`. */
function getParameter(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer.replace(/^\?/, '');
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce(
    (path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path ? `${path}.${name}` : name),
    '',
  );
}

const toMessage = ({ pointer, detail }: FieldError): string => `${getParameter(pointer)} ${detail}`.trim();

function getType(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Returns the member that a problem has more for OpenAI's clients. */
export function openAiError({ code, status, message, errors }: Problem): { error: object } {
  const [first] = errors;
  const isShape = code === 'invalid_request' && first !== undefined;
  return {
    error: {
      message: isShape ? errors.map(toMessage).join('; ') : message,
      type: getType(status),
      param: (first && getParameter(first.pointer)) || null,
      code: first ? (FAULT_CODES[first.code] ?? first.code) : (CODES[code] ?? code),
    },
  };
}
