/**
 * Handles requests to inspectors, whether from the network (inspector-receiver.routes.ts) or from a local delivery
 * (local-transport.ts): stores them, then responds as the inspector is configured.
 *
 * A request is committed before the response. The last 200 requests of each inspector are kept, fewer if they are
 * large; callers can't exceed that.
 */
import type { DeliveryContext } from './delivery/delivery-context.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { storableText } from '../../platform/db/storable-text.ts';
import { callerGroup, callerPath } from '../../platform/http/caller-address.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { SANDBOXED_PAGE_HEADERS } from '../../platform/http/page.ts';
import { type HeaderPair, redactHeaders, redactText } from '../../platform/http/redaction.ts';
import { SANDBOX } from '../../platform/http/sandbox.ts';
import { createFairGate } from '../../platform/limits/fair-gate.ts';
import { Problem } from '../../platform/http/problem.ts';
import { isSignedBy } from '../../platform/crypto/webhook-signature.ts';
import { hashInspectToken, type InspectorRef } from './inspect-token.ts';
import type { GetPerson } from '../auth/person-lookup.ts';
import { isNavigation, PAGE_ANSWER } from './inspector-page.ts';
import { createInFlight, createRates, createSharedInFlight } from '../../platform/http/ingress-limits.ts';
import type { SIGNATURES, SOURCES } from './inspector-request.schema.ts';
import type { InspectorAnswer } from './inspector.schema.ts';
import { type Head, sealHead } from './inspector-request.service.ts';
import { insertRequest, trimRequests } from './inspector-request.store.ts';
import { getResponse } from './inspector.service.ts';
import { countRequest } from './inspector.store.ts';
import { findInspectorById, findInspectorByToken } from './inspector.system-store.ts';
import { currentTime } from '../../platform/time/clock.ts';

/** Bytes of a body that are kept, and that are taken at all. */
export const MAX_KEPT_BODY = 256 * 1024;
export const MAX_BODY = 1024 * 1024;

const MAX_KEPT = 200;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_TEXT = { method: 20, path: 2048, query: 8192, name: 200, value: 4096, contentType: 200 };

/** Limits on requests from the network. Local deliveries have none: the sender already limits how many it sends. */
const MAX_AT_ONCE = { inspector: 50, workspace: 100, total: 400 };
const LOOKUPS_AT_ONCE = 4;
const WRITES_AT_ONCE = 4;
const RATE_OF_INSPECTOR = { perMinute: 600, burst: 300 };
const RATE_OF_CALLER = { perMinute: 1200, burst: 600 };

export interface ReadBody {
  /** At most MAX_KEPT_BODY bytes of it. */
  kept: Buffer;
  size: number;
  /** All of it, where it is at hand. */
  whole?: Buffer;
}

export interface PublicationRequest {
  inspector: InspectorRef;
  method: string;
  path: string;
  query: string | null;
  headers: HeaderPair[];
  /** `delivery` where it was handed over within the server. */
  source: (typeof SOURCES)[number];
  /** null for a delivery. */
  remoteAddress: string | null;
  deliveryContext: DeliveryContext | null;
  /** Reads the body; not called for rejected requests. */
  readBody: () => Promise<ReadBody>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

export interface InspectorReply {
  status: number;
  headers: Record<string, string>;
  /** null for a status that has none. */
  body: Buffer | null;
}

export interface InspectorReceiver {
  /**
   * @throws Problem not_found, payload_too_large; rate_limited for a request from the network; the signal's reason once
   *   it is aborted
   */
  receive(arrival: PublicationRequest): Promise<InspectorReply>;
  /** Ends all delayed responses immediately, now and later; for a server that stops. */
  endWaits(): void;
}

const cut = (text: string, max: number): string => storableText(text.slice(0, max));

function toHeader({ headers }: Pick<PublicationRequest, 'headers'>, wanted: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
}

/** Credentials are removed before anything is cut, which could hide them. */
function getHead({ query, headers }: Pick<PublicationRequest, 'query' | 'headers'>): Head {
  return {
    query: query === null ? null : cut(redactText(query), MAX_TEXT.query),
    headers: redactHeaders(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [cut(name, MAX_TEXT.name), cut(value, MAX_TEXT.value)]),
  };
}

/** The result of checking a signature. `deliveryContext` is only used if it belongs to the inspector's workspace. */
function getSignature(
  arrival: PublicationRequest,
  deliveryContext: DeliveryContext | null,
  { whole }: ReadBody,
): (typeof SIGNATURES)[number] {
  const id = toHeader(arrival, 'webhook-id');
  const timestamp = toHeader(arrival, 'webhook-timestamp');
  const signature = toHeader(arrival, 'webhook-signature');
  if (id === null || timestamp === null || signature === null) return 'absent';
  if (deliveryContext === null || whole === undefined) return 'unchecked';
  return isSignedBy(deliveryContext.keys, { id, timestamp, signature }, whole) ? 'valid' : 'invalid';
}

/** The URL is on the console's origin, so its responses must stay plain text in any browser. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': SANDBOX,
  'x-content-type-options': 'nosniff',
};
const WITHOUT_BODY = new Set([204, 205, 304]);

export function createInspectorReceiver(deps: {
  db: Database;
  secrets: SecretBox;
  getPerson: GetPerson;
  clock?: () => Date;
}): InspectorReceiver {
  const { db, secrets, getPerson, clock = currentTime } = deps;
  const byInspector = createRates(RATE_OF_INSPECTOR);
  const byCaller = createRates(RATE_OF_CALLER);
  const inFlight = createInFlight();
  const shared = createSharedInFlight(MAX_AT_ONCE.total);
  const lookUp = createFairGate({ capacity: LOOKUPS_AT_ONCE });
  const write = createFairGate({ capacity: WRITES_AT_ONCE });
  const stopping = new AbortController();

  type Place = { workspace_id: string; inspector_id: string };

  /** @param arrival without headers where a browser navigated. @returns `fixed`, or the answer that is set */
  async function keep(
    { workspace_id, inspector_id }: Place,
    arrival: PublicationRequest,
    body: ReadBody,
    fixed: InspectorAnswer | null,
  ) {
    const deliveryContext =
      arrival.deliveryContext?.workspaceId === workspace_id ? arrival.deliveryContext : null;
    const head = getHead(arrival);
    const contentType = toHeader(arrival, 'content-type');
    const signature = getSignature(arrival, deliveryContext, body);
    return db.transaction().execute(async (tx) => {
      const now = clock();
      const inspector = await countRequest(tx, workspace_id, inspector_id, now);
      if (!inspector) throw unknownAddress();
      const answer = fixed ?? getResponse(inspector);
      const id = newUuid();
      const head_sealed = sealHead(secrets, workspace_id, id, head);
      await insertRequest(tx, workspace_id, {
        inspector_id,
        number: inspector.received,
        id,
        source: arrival.source,
        method: cut(arrival.method, MAX_TEXT.method),
        path: cut(redactText(arrival.path), MAX_TEXT.path),
        head_sealed,
        content_type: contentType === null ? null : cut(redactText(contentType), MAX_TEXT.contentType),
        body: body.kept,
        size: body.size,
        kept_bytes: body.kept.length + head_sealed.length,
        remote_address: arrival.remoteAddress,
        webhook_id: deliveryContext?.webhookId ?? null,
        event_type: deliveryContext?.eventType ?? null,
        signature,
        answer_status: answer.status,
        answer_delay_ms: answer.delay_ms,
        created_at: now,
      });
      await trimRequests(tx, workspace_id, inspector_id, MAX_KEPT, MAX_KEPT_BYTES);
      return answer;
    });
  }

  async function wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0)
      await delay(ms, undefined, { signal: AbortSignal.any([signal, stopping.signal]) }).catch(
        () => undefined,
      );
    signal.throwIfAborted();
  }

  function find({ inspector, deliveryContext }: PublicationRequest): Promise<Place | undefined> {
    if ('token' in inspector) return findInspectorByToken(db, hashInspectToken(inspector.token));
    // An ID is no secret, so it counts within the workspace of the delivery alone.
    return deliveryContext
      ? findInspectorById(db, deliveryContext.workspaceId, inspector.id)
      : Promise.resolve(undefined);
  }

  /** Finds the inspector for a request from the network, whose caller is untrusted. */
  const findFromOutside = (arrival: PublicationRequest, address: string): Promise<Place | undefined> =>
    shared.lookUp(address, () => lookUp(callerPath(address), () => find(arrival)));

  async function receiveAt(place: Place, arrival: PublicationRequest): Promise<InspectorReply> {
    if (arrival.source === 'http') byInspector(place.inspector_id);
    const body = await arrival.readBody();
    const turn = [await getPerson(place.workspace_id), place.workspace_id, place.inspector_id];
    if (arrival.source === 'http' && isNavigation(arrival.method, (name) => toHeader(arrival, name))) {
      const { status, body: page } = await write(turn, () =>
        keep(place, { ...arrival, headers: [] }, body, PAGE_ANSWER),
      );
      return { status, headers: SANDBOXED_PAGE_HEADERS, body: Buffer.from(page) };
    }
    const answer = await write(turn, () => keep(place, arrival, body, null));
    await wait(answer.delay_ms, arrival.signal);
    const headers = { ...answer.headers, ...SAFE_HEADERS };
    if (WITHOUT_BODY.has(answer.status)) return { status: answer.status, headers, body: null };
    return {
      status: answer.status,
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from(answer.body),
    };
  }

  return {
    async receive(arrival) {
      const { remoteAddress } = arrival;
      if (remoteAddress !== null) byCaller(callerGroup(remoteAddress));
      using held = new DisposableStack();
      const place = await (remoteAddress === null ? find(arrival) : findFromOutside(arrival, remoteAddress));
      if (!place) throw unknownAddress();
      if (arrival.source === 'http') {
        held.defer(shared.enter(await getPerson(place.workspace_id)));
        held.defer(inFlight.enter(`inspector ${place.inspector_id}`, MAX_AT_ONCE.inspector));
        held.defer(inFlight.enter(`workspace ${place.workspace_id}`, MAX_AT_ONCE.workspace));
      }
      return await receiveAt(place, arrival);
    },
    endWaits: () => stopping.abort(),
  };
}

export const unknownAddress = (): Problem => new Problem('not_found', 'There is no inspector at this URL.');
