/** Validates the parts of a request by the schemas of its operation. */
import type { FastifyRequest } from 'fastify';
import { type FieldError, invalid, Problem } from '../../platform/http/problem.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import { isWrite, type OperationSpec } from './operation.ts';

const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };
const ANY_PARAMETERS = { type: 'object' };

/**
 * Returns the check of an operation's requests, which reports the errors of all parts together and puts defaults and
 * converted values in place. @throws Problem
 */
export function createRequestValidator(spec: OperationSpec): (request: FastifyRequest) => void {
  const writes = isWrite(spec);
  const takesQuery = spec.query !== undefined;
  const checks = {
    params: spec.params && compileValidator(spec.params, 'params'),
    query: compileValidator(spec.query ?? (spec.openAi ? ANY_PARAMETERS : NO_PARAMETERS), 'querystring'),
    body:
      spec.openBody || spec.anyBody
        ? spec.body && compileValidator(spec.body, 'body')
        : compileValidator(spec.body ?? NO_PARAMETERS, 'body'),
  };

  return (request) => {
    const fieldErrors: FieldError[] = [];
    const collect = (result: { value: unknown } | { error: Problem } | undefined): void => {
      if (result && 'error' in result) fieldErrors.push(...result.error.errors);
    };
    for (const value of Object.values((request.params ?? {}) as Record<string, string>))
      if (value.includes('\0')) throw new Problem('not_found', 'The path contains a NUL character.');
    collect(checks.params?.(request.params));
    if (request.url.includes('?')) {
      collect(checks.query(request.query));
      for (const [name, value] of Object.entries(request.query as object))
        if (String(value).includes('\0'))
          fieldErrors.push({
            pointer: `?${name}`,
            code: 'invalid_text',
            detail: 'must not contain a NUL character',
          });
    } else if (takesQuery) collect(checks.query(request.query));
    if (writes && !request.upload) collect(checks.body?.(request.body ?? {}));
    if (fieldErrors.length) throw invalid(fieldErrors);
  };
}
