/** The page of errors that a problem's `type` points to, made from the catalog. */
import { STATUS_CODES } from 'node:http';
import { type ErrorCode, ERRORS } from '../../platform/http/errors.ts';
import { getErrorCodes } from '../../core/api/openapi-errors.ts';
import type { Operation, OperationSpec } from '../../core/api/operation.ts';
import { operationAnchor } from './first-view.ts';
import { escapeHtml as escape, renderInline } from './markdown.ts';

const anchor = (code: string): string => `<a href="#${code}">${code}</a>`;

/** The place of an operation in the reference. */
const operationHref = ({ tag, id }: OperationSpec): string => `/docs#${operationAnchor(tag, id)}`;

/** Codes by status, ascending, each status once. */
export function errorsByStatus(): [status: number, codes: ErrorCode[]][] {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return [...Map.groupBy(codes, (code) => ERRORS[code].status)].toSorted(([a], [b]) => a - b);
}

export const statusName = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim();

/** Above this many operations a list of them says less than their number. */
const MAX_LISTED = 8;

/** Which operations answer a code, as HTML; empty where no declared operation does (sign-in, say). */
function answeredBy(code: ErrorCode, operations: Operation[]): string {
  const answering = operations.filter(({ spec }) => getErrorCodes(spec).includes(code));
  if (answering.length === 0) return '';
  if (answering.length === operations.length)
    return '<p class="error-where">Returned by every operation.</p>';
  if (answering.length > MAX_LISTED)
    return `<p class="error-where">Returned by ${answering.length} of ${operations.length} operations.</p>`;
  const names = answering.map(({ spec }) => `<a href="${operationHref(spec)}">${escape(spec.summary)}</a>`);
  return `<p class="error-where">Returned by ${names.join(', ')}.</p>`;
}

function section(code: ErrorCode, operations: Operation[]): string {
  const { title, help } = ERRORS[code];
  return `<section class="error" id="${code}" aria-labelledby="${code}-title">
  <h3 id="${code}-title">${anchor(code)} <span class="error-title">${escape(title)}</span></h3>
  <p>${renderInline(help)}</p>
  ${answeredBy(code, operations)}
</section>`;
}

/** The page's content. @param baseUrl where `type` points to. */
export function errorsContent(baseUrl: string, operations: Operation[]): string {
  const groups = errorsByStatus();
  const example = {
    type: `${baseUrl}/docs/errors#invalid_request`,
    title: ERRORS.invalid_request.title,
    status: ERRORS.invalid_request.status,
    code: 'invalid_request',
    detail: '1 field is wrong',
    request_id: 'req_01h2xcejqtf2nbrexx3vqjhp41',
    errors: [{ pointer: '/nmae', code: 'unknown_field', detail: 'did you mean name?' }],
  };
  const list = groups
    .map(
      ([status, codes]) =>
        `<h2>${escape(statusName(status))}</h2>\n<ul>${codes.map((code) => `<li>${anchor(code)}</li>`).join('')}</ul>`,
    )
    .join('\n');
  const sections = groups
    .map(
      ([status, codes]) =>
        `<h2 id="${status}">${escape(statusName(status))}</h2>\n${codes.map((code) => section(code, operations)).join('\n')}`,
    )
    .join('\n');
  return `<div class="errors">
<nav class="errors-list" aria-label="Error codes">${list}</nav>
<main>
<h1>Errors</h1>
<p>Every error response is <code>application/problem+json</code> (RFC 9457), whatever the <code>Accept</code> header says.
Branch on <code>code</code>, which never changes. <code>errors</code> lists every invalid field, with a JSON pointer
into the body or the <code>?name</code> of a parameter. Include the <code>request_id</code> when you report a problem.</p>
<pre tabindex="0" aria-label="Example">${escape(JSON.stringify(example, null, 2))}</pre>
${sections}
</main>
</div>`;
}
