/**
 * Inspectors: URLs on this server that receive requests, for testing webhooks and viewing requests. Their response is
 * configurable within limits: the URL is on the console's own origin, so a response must not set cookies, redirect, or
 * be anything but plain text.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { escapePointer, type FieldError, notFound, Problem } from '../../platform/http/problem.ts';
import { generateInspectToken, hashInspectToken, inspectUrl } from './inspect-token.ts';
import { deleteRequests } from './inspector-request.store.ts';
import type {
  InspectorAnswer,
  InspectorBody,
  InspectorObject,
  UpdateInspectorBody,
} from './inspector.schema.ts';
import * as store from './inspector.store.ts';

const MOST = 20;
const FIRST_ANSWER: InspectorAnswer = { status: 200, delay_ms: 0, headers: {}, body: '' };
const ANSWER_HEADER =
  /^(retry-after|ratelimit|ratelimit-policy|x-request-id|x-ratelimit-[a-z-]+|x-test-[a-z0-9-]+)$/i;

export interface InspectorDeps {
  secrets: SecretBox;
  /** Origin of the addresses, without a trailing slash. */
  baseUrl: string;
}

export const inspectorTokenContext = (workspaceId: string, id: string): string =>
  `${workspaceId}|inspectors|${id}`;

export const getResponse = (row: store.InspectorRow): InspectorAnswer => ({
  status: row.answer_status,
  delay_ms: row.answer_delay_ms,
  headers: row.answer_headers as Record<string, string>,
  body: row.answer_body,
});

/** The row as the API shows it, with its address. */
function presentInspector({ secrets, baseUrl }: InspectorDeps, row: store.InspectorRow): InspectorObject {
  return {
    id: publicId('inspector', row.id),
    object: 'inspector',
    name: row.name,
    enabled: row.enabled,
    url: inspectUrl(baseUrl, secrets.open(row.token_sealed, inspectorTokenContext(row.workspace_id, row.id))),
    answer: getResponse(row),
    requests_received: row.received,
    last_received_at: row.last_received_at?.toISOString() ?? null,
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** @throws Problem unprocessable, with every header that an answer may not have. */
function readAnswer(change: Partial<InspectorAnswer>, base: InspectorAnswer): InspectorAnswer {
  const headers = Object.entries(change.headers ?? base.headers);
  const faults: FieldError[] = headers
    .filter(([name]) => !ANSWER_HEADER.test(name))
    .map(([name]) => ({
      pointer: `/answer/headers/${escapePointer(name)}`,
      code: 'header_not_allowed',
      detail: 'can be Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-*, X-Request-Id or X-Test-*',
    }));
  if (faults.length)
    throw new Problem('unprocessable', 'An inspector cannot respond with this header.', { errors: faults });
  const trimmed = headers.map(([name, value]) => [name.toLowerCase(), value.trim()] as const);
  return { ...base, ...change, headers: Object.fromEntries(trimmed) };
}

const toColumns = ({ status, delay_ms, headers, body }: InspectorAnswer) => ({
  answer_status: status,
  answer_delay_ms: delay_ms,
  answer_headers: headers,
  answer_body: body,
});

export async function listInspectors(
  deps: InspectorDeps,
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.InspectorFilter,
): Promise<List<InspectorObject>> {
  const rows = await store.listInspectors(unit.db, workspaceId, page, filter);
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentInspector(deps, row),
  );
}

export async function getInspector(
  deps: InspectorDeps,
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ inspector: InspectorObject }>> {
  const row = await store.getInspector(unit.db, workspaceId, id);
  if (!row) throw notFound('inspector');
  return { inspector: presentInspector(deps, row), version: row.version };
}

/** @throws Problem quota_exceeded, unprocessable */
export async function createInspector(
  deps: InspectorDeps,
  unit: Unit,
  actor: WorkspaceActor,
  { name = 'Inspector', answer = {}, metadata = {} }: InspectorBody,
): Promise<WithVersion<{ inspector: InspectorObject }>> {
  const { workspaceId } = actor;
  const fields = toColumns(readAnswer(answer, FIRST_ANSWER));
  if ((await store.countAlone(unit.db, workspaceId)) >= MOST)
    throw new Problem('quota_exceeded', `A workspace can have at most ${MOST} inspectors. Delete one first.`);
  const id = unit.newUuid();
  const token = generateInspectToken();
  await store.insertInspector(
    unit.db,
    workspaceId,
    {
      id,
      name: name.trim(),
      token_sealed: deps.secrets.seal(token, inspectorTokenContext(workspaceId, id)),
      ...fields,
      metadata,
      created_by: actor.id,
      created_at: unit.clock(),
    },
    hashInspectToken(token),
  );
  return getInspector(deps, unit, workspaceId, id);
}

/** Takes effect with the next request. @throws Problem not_found, precondition_failed, unprocessable */
export async function updateInspector(
  deps: InspectorDeps,
  unit: Unit,
  workspaceId: string,
  id: string,
  { name, enabled, answer, metadata }: UpdateInspectorBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ inspector: InspectorObject }>> {
  const row = await store.lockInspector(unit.db, workspaceId, id);
  if (!row) throw notFound('inspector');
  assertMatches(ifMatch, row, 'inspector');
  const changes = {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(answer === undefined ? {} : toColumns(readAnswer(answer, getResponse(row)))),
    ...(metadata === undefined ? {} : { metadata }),
  };
  await store.updateInspector(unit.db, workspaceId, id, changes, unit.clock());
  return getInspector(deps, unit, workspaceId, id);
}

/** Disables an inspector; does nothing if it is disabled or deleted already. */
export async function disableInspector(unit: Unit, workspaceId: string, id: string): Promise<void> {
  const row = await store.lockInspector(unit.db, workspaceId, id);
  if (row?.enabled) await store.updateInspector(unit.db, workspaceId, id, { enabled: false }, unit.clock());
}

/** With all that it received; its address is unknown from then on. @throws Problem not_found, precondition_failed */
export async function deleteInspector(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await store.lockInspector(unit.db, workspaceId, id);
  if (!row) throw notFound('inspector');
  assertMatches(ifMatch, row, 'inspector');
  await deleteRequests(unit.db, workspaceId, id);
  await store.deleteInspector(unit.db, workspaceId, id);
}
