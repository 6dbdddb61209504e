/**
 * Reads requests received by inspectors. Lists leave out query, headers and body, because they are polled every second,
 * and credentials belong only in the view of a single request.
 */
import { isUtf8 } from 'node:buffer';
import { parseOwnJson } from '../../platform/json/own-json.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Scope } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { maySeeType } from '../vocabulary/event-catalog.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type HeaderPair, redactHeaders, redactText } from '../../platform/http/redaction.ts';
import type {
  InspectorRequestObject,
  InspectorRequestSummaryObject,
  SIGNATURES,
  SOURCES,
} from './inspector-request.schema.ts';
import * as store from './inspector-request.store.ts';
import { getInspector, lockInspector } from './inspector.store.ts';

/** The sealed part of a request. */
export interface Head {
  query: string | null;
  /** In their order, without credentials. */
  headers: HeaderPair[];
}

/** Cursors of the list are numbers of requests, of one length, so that no part of one is another. */
const CURSOR_DIGITS = 15;

export const requestHeadContext = (workspaceId: string, id: string): string =>
  `${workspaceId}|inspector_requests|${id}`;

export const sealHead = (secrets: SecretBox, workspaceId: string, id: string, head: Head): string =>
  secrets.seal(JSON.stringify(head), requestHeadContext(workspaceId, id));

/**
 * Opens the head of a request. Redacts it again, because a node of an earlier release may have recorded credentials.
 * @throws Error see SecretBox.open
 */
export const openHead = (secrets: SecretBox, workspaceId: string, id: string, sealed: string): Head =>
  redactHead(parseOwnJson<Head>(secrets.open(sealed, requestHeadContext(workspaceId, id))));

const redactHead = ({ query, headers }: Head): Head => ({
  query: query === null ? null : redactText(query),
  headers: redactHeaders(headers),
});

function presentSummary(row: store.SummaryRow): InspectorRequestSummaryObject {
  return {
    id: publicId('inspector_request', row.id),
    object: 'inspector_request',
    inspector_id: publicId('inspector', row.inspector_id),
    number: row.number,
    source: row.source as (typeof SOURCES)[number],
    method: row.method,
    path: row.path,
    content_type: row.content_type,
    size: row.size,
    truncated: row.truncated,
    remote_address: row.remote_address,
    webhook_id: row.webhook_id === null ? null : publicId('webhook', row.webhook_id),
    event_type: row.event_type,
    signature: row.signature as (typeof SIGNATURES)[number],
    answered: { status: row.answer_status, delay_ms: row.answer_delay_ms },
    created_at: row.created_at.toISOString(),
  };
}

/** The bytes without a character of UTF-8 that the cut went through. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, -back) : bytes;
    }
  }
  return bytes;
}

function presentBody(
  kept: Buffer,
  truncated: boolean,
): Pick<InspectorRequestObject, 'body' | 'body_encoding'> {
  const text = truncated ? withoutHalfCharacter(kept) : kept;
  return isUtf8(text)
    ? { body: text.toString(), body_encoding: 'utf8' }
    : { body: kept.toString('base64'), body_encoding: 'base64' };
}

/** @throws Problem not_found */
export async function listRequests(
  unit: ReadUnit,
  workspaceId: string,
  inspectorId: string,
  page: Page,
  filter: store.InspectorRequestFilter,
): Promise<List<InspectorRequestSummaryObject>> {
  if (!(await getInspector(unit.db, workspaceId, inspectorId))) throw notFound('inspector');
  const rows = await store.listRequests(unit.db, workspaceId, inspectorId, page, filter);
  return toList(rows, page, ({ number }) => String(number).padStart(CURSOR_DIGITS, '0'), presentSummary);
}

/** @throws Problem not_found */
export async function getRequest(
  secrets: SecretBox,
  unit: ReadUnit,
  workspaceId: string,
  inspectorId: string,
  id: string,
  scopes: ReadonlySet<Scope>,
): Promise<InspectorRequestObject> {
  const row = await store.getRequest(unit.db, workspaceId, inspectorId, id);
  if (!row) throw notFound('inspector request');
  // The body of a delivery is an event, which some callers who may see the request may not read.
  const hidden = row.source === 'delivery' && row.event_type !== null && !maySeeType(scopes, row.event_type);
  const head = openHead(secrets, workspaceId, id, row.head_sealed);
  return {
    ...presentSummary(row),
    query: head.query,
    headers: head.headers.map(([name, value]) => ({ name, value })),
    ...(hidden ? { body: null, body_encoding: 'utf8' } : presentBody(row.body, row.truncated)),
    body_hidden: hidden,
  };
}

/** Their numbers go on from where they were. @throws Problem not_found */
export async function clearRequests(unit: Unit, workspaceId: string, inspectorId: string): Promise<void> {
  if (!(await lockInspector(unit.db, workspaceId, inspectorId))) throw notFound('inspector');
  await store.deleteRequests(unit.db, workspaceId, inspectorId);
}
