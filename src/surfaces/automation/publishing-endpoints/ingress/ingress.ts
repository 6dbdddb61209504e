/**
 * Public ingress `/in/`: senders with a secret URL or a valid signature publish without an API key.
 * | Anonymous load is bounded. Per IP address: requests, failed attempts, and bodies being received. Per endpoint and
 * workspace: concurrent requests. An unknown token costs one index lookup. A missing endpoint, a disabled one, and one
 * that uses API keys get the same response. A body is read only after its endpoint is known, and its raw bytes are
 * verified.
 */
import type { SecretBox } from '../../../../platform/crypto/secret-box.ts';
import { createFailureLimiter } from '../../../../core/auth/failure-limiter.ts';
import type { GetPerson } from '../../../../core/auth/person-lookup.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { createSingleflight } from '../../../../platform/limits/singleflight.ts';
import { callerGroup, callerPath } from '../../../../platform/http/caller-address.ts';
import {
  createInFlight,
  createRates,
  createSharedInFlight,
} from '../../../../platform/http/ingress-limits.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import { type List, toCompleteList } from '../../../../platform/http/pagination.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { createFairGate } from '../../../../platform/limits/fair-gate.ts';
import { createTokenBuckets } from '../../../../platform/limits/token-buckets.ts';
import { EndpointChanged } from '../../publications/publication-acceptance.ts';
import type { PublicationRequest } from '../../publications/publication-request.ts';
import type { PublicationObject } from '../../publications/records/publication.schema.ts';
import { openEndpointSecret } from '../authentication/endpoint-secret.ts';
import type { ReceivingEndpoint, SignatureAuth } from '../endpoint.store.ts';
import { receivingByToken } from '../endpoint.system-store.ts';
import { hashToken } from '../authentication/endpoint-token.ts';
import { getDeliveryId } from '../authentication/delivery-id.ts';
import { badSignature } from '../authentication/signed-parts.ts';
import { verifySignature } from '../authentication/verify.ts';
import { answerHandshake, type HandshakeAnswer, isChallenge } from './handshakes.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { readBodies, type ReceivedBodies, type ReceivedBody } from './payload.ts';
import {
  beingChanged,
  type IngressRequest,
  type PublishDeps,
  MAX_TRIES,
  takeToken,
} from './publish.service.ts';
import { getVisibleHeaders, getVisibleQuery } from './request-variables.ts';
import type { Sns } from './sns.ts';

const RATE_OF_CALLER = { perMinute: 12_000, burst: 6_000 };
/** Rate of invalid signatures per IP address and endpoint. */
const RATE_OF_WRONG = { perMinute: 60, burst: 60 };
const MAX_WRONG = 20_000;
const MAX_KNOWN = 20_000;
const LOOKUPS_AT_ONCE = 8;
/** `waiting`: bodies being received from one caller, so that a slow sender does not block others. */
const MAX_AT_ONCE = { waiting: 50, endpoint: 100, workspace: 200, all: 400 };

export interface InCall extends IngressRequest {
  method: string;
  token: string;
  /** IP address of the caller. */
  address: string;
  /**
   * Called once, after the endpoint is known.
   * @throws Problem
   */
  readBody: () => Promise<Buffer>;
}

export type InAnswer =
  | { status: 200 | 202; publication: PublicationObject; headers: Record<string, string> }
  /** Of a batch, in its order. */
  | { status: 200 | 202; batch: List<PublicationObject>; headers: Record<string, string> }
  | { handshake: HandshakeAnswer };

interface Received extends ReceivedBodies {
  /** As received, for its signature. */
  bytes: Buffer;
  /** Of a message that Amazon SNS signed. */
  deliveryId: string | null;
}

export interface IngressDeps extends PublishDeps {
  db: Database;
  secrets: SecretBox;
  clock: () => Date;
  getPerson: GetPerson;
  invalid: Pick<InvalidRequests, 'note'>;
  sns: Sns;
}

export const nothingHere = (): Problem =>
  new Problem(
    'not_found',
    'There is no publishing endpoint at this URL. Endpoints that use API keys are at /api/v1/publish/{id}.',
  );

/** Methods that any URL accepts; GET only with the parameters of a handshake. */
export const ALLOW = { allow: 'HEAD, POST, OPTIONS' };

export const wrongMethod = (method: string): Problem =>
  new Problem('method_not_allowed', `${method} is not supported here. Use POST to publish.`, {
    headers: ALLOW,
  });

/** Returns the query parameters of a request target. */
export function getQuery(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : target.slice(at + 1));
}

/** Returns the currently valid secrets, the current one first. */
function getSecrets(
  box: SecretBox,
  { workspaceId, id }: ReceivingEndpoint,
  { secretSealed, previousSecretSealed, previousSecretUntil }: SignatureAuth,
  now: Date,
): string[] {
  const previous = previousSecretUntil !== null && previousSecretUntil > now ? previousSecretSealed : null;
  return [secretSealed, previous]
    .filter((sealed) => sealed !== null)
    .map((sealed) => openEndpointSecret(box, { workspace_id: workspaceId, id }, sealed));
}

/** Recently used valid tokens: their senders are not throttled because of strangers on the same IP address. */
function createKnown() {
  const tokens = new Set<string>();
  return {
    has: (token: string): boolean => tokens.has(token),
    forget: (token: string): void => void tokens.delete(token),
    add(token: string): void {
      tokens.delete(token);
      tokens.add(token);
      if (tokens.size > MAX_KNOWN) tokens.delete(tokens.values().next().value!);
    },
  };
}

export interface Ingress {
  /**
   * Receives a request or a handshake.
   * @throws Problem not_found, method_not_allowed, signature_invalid, signature_expired, rate_limited, errors of `readBody` and of parsing
   *   the payload, 422 if rejected and stored as such, unavailable
   */
  receive(call: InCall): Promise<InAnswer>;
}

/** @throws EndpointChanged; Problem as `PublicationReceiver` */
async function publish(
  { receiver, limiter }: Pick<IngressDeps, 'receiver' | 'limiter'>,
  endpoint: ReceivingEndpoint,
  call: InCall,
  { bodies, isBatch, deliveryId }: Received,
): Promise<InAnswer> {
  const { auth } = endpoint;
  const isSigned = auth.type === 'signature';
  const getId = ({ payload }: ReceivedBody): string | null =>
    isSigned ? getDeliveryId(auth.scheme, call.headers, payload) : deliveryId;
  const requests = bodies.map((body, nth): PublicationRequest => {
    const id = getId(body);
    return {
      endpoint,
      source: isSigned ? 'signature' : 'secret_url',
      ...body,
      headers: getVisibleHeaders(call.headers, isSigned && auth.hmac ? [auth.hmac.header.toLowerCase()] : []),
      query: getVisibleQuery(call.target),
      // The ID of a request names all of its events.
      deliveryId: isBatch && id !== null ? `${id}#${nth}` : id,
      actorId: publicId('publishing_endpoint', endpoint.id),
    };
  });
  const publications = isBatch ? await receiver.receiveAll(requests) : [await receiver.receive(requests[0]!)];
  const { id: keyId, rateLimit, successStatus: status } = endpoint;
  const headers = limiter.headers({ keyId, rateLimit });
  return isBatch
    ? { status, batch: toCompleteList(publications), headers }
    : { status, publication: publications[0]!, headers };
}

export function createIngress(deps: IngressDeps): Ingress {
  const { db, secrets, clock, sns } = deps;
  const byCaller = createRates(RATE_OF_CALLER);
  const failures = createFailureLimiter();
  const wrong = createTokenBuckets(RATE_OF_WRONG, MAX_WRONG);
  const known = createKnown();
  const inFlight = createInFlight();
  const shared = createSharedInFlight(MAX_AT_ONCE.all);
  // Strangers, who can try any number of tokens, get only every second turn.
  const inTurn = createFairGate({ capacity: LOOKUPS_AT_ONCE, personAt: 1 });
  const read = createSingleflight((name, hash: Buffer, address: string) =>
    inTurn([known.has(name) ? 'known' : 'unknown', ...callerPath(address)], () =>
      receivingByToken(db, hash, clock()),
    ),
  );

  /**
   * Finds the endpoint.
   * @throws Problem not_found, rate_limited
   */
  async function find({ token, address }: InCall): Promise<ReceivingEndpoint> {
    const hash = hashToken(token);
    const name = hash.toString('base64');
    if (!known.has(name)) failures.check(address);
    const endpoint = await read(name, hash, address);
    if (endpoint) known.add(name);
    else {
      known.forget(name);
      failures.count(address);
    }
    if (!endpoint?.enabled || endpoint.auth.type === 'bearer') throw nothingHere();
    return endpoint;
  }

  /**
   * Verifies the signature.
   * @throws Problem signature_invalid, signature_expired
   */
  function checkSender(endpoint: ReceivingEndpoint, { headers, address }: InCall, body: Buffer): void {
    const { auth } = endpoint;
    if (auth.type !== 'signature') return;
    const now = clock();
    try {
      if (isChallenge(auth, body)) throw badSignature('The body must not have the form of a `crc_token`.');
      verifySignature(auth, getSecrets(secrets, endpoint, auth, now), { headers, body }, now);
    } catch (error) {
      if (error instanceof Problem && error.code === 'signature_invalid')
        wrong.drain(getName(endpoint, address));
      throw error;
    }
  }

  /**
   * Rejects IP addresses with too many recent invalid signatures at this endpoint.
   * @throws Problem rate_limited
   */
  function checkWrong(endpoint: ReceivingEndpoint, address: string): void {
    const seconds = wrong.wait(getName(endpoint, address));
    if (seconds > 0)
      throw new Problem('rate_limited', 'Too many invalid signatures from this IP address.', {
        headers: { 'retry-after': String(seconds) },
      });
  }

  /**
   * Reads a message of Amazon SNS. One whose certificate cannot be fetched counts as an invalid signature: anyone with the
   * URL could have this server call AWS.
   * @throws Problem signature_invalid, unavailable
   */
  async function readSns(
    endpoint: ReceivingEndpoint,
    { headers, address }: InCall,
    payload: unknown,
  ): ReturnType<Sns['read']> {
    try {
      return await sns.read(endpoint, headers, payload);
    } catch (error) {
      if (error instanceof Problem) wrong.drain(getName(endpoint, address));
      throw error;
    }
  }

  async function getBody({ readBody, address }: InCall): Promise<Buffer> {
    using held = new DisposableStack();
    held.defer(inFlight.enter(`body of ${callerGroup(address)}`, MAX_AT_ONCE.waiting));
    return await readBody();
  }

  /**
   * Answers a handshake that the platform did or did not sign.
   * @throws Problem invalid_request
   */
  function shakeHands(
    endpoint: ReceivingEndpoint,
    isSigned: boolean,
    { method, target, headers, token }: InCall,
    body: Buffer,
    payload?: unknown,
  ): HandshakeAnswer | null {
    const { auth } = endpoint;
    const getSecret = (): string => getSecrets(secrets, endpoint, auth as SignatureAuth, clock())[0]!;
    const query = getQuery(target);
    return answerHandshake(auth, isSigned, { method, query, headers, token, body, payload, getSecret });
  }

  /**
   * Requests to a secret URL use up the rate limit of the endpoint. Signed requests use it up only after verification;
   * handshakes that are not signed count like invalid signatures instead, since anyone can send them.
   * @throws Problem method_not_allowed for a request that can only be a handshake, and is none with this endpoint
   */
  async function receiveOnce(
    endpoint: ReceivingEndpoint,
    call: InCall,
  ): Promise<{ handshake: HandshakeAnswer } | Received> {
    const isSigned = endpoint.auth.type === 'signature';
    checkWrong(endpoint, call.address);
    if (!isSigned) await takeToken(deps, endpoint);
    const bytes = await getBody(call);
    const isPost = call.method === 'POST';
    if (isSigned && !isPost) wrong.drain(getName(endpoint, call.address));
    const unsigned = shakeHands(endpoint, false, call, bytes);
    if (isSigned && isPost && unsigned) wrong.drain(getName(endpoint, call.address));
    if (unsigned) return { handshake: unsigned };
    if (!isPost) throw wrongMethod(call.method);
    checkSender(endpoint, call, bytes);
    if (isSigned) await takeToken(deps, endpoint);
    const { bodies, isBatch } = await readBodies(call.headers, bytes);
    const [first] = bodies;
    if (isBatch || !first) return { bytes, bodies, isBatch, deliveryId: null };
    if (!isSigned) {
      const message = await readSns(endpoint, call, first.payload);
      if (message && 'handshake' in message) return message;
      if (message) {
        const { payload, deliveryId } = message;
        return { bytes, bodies: [{ ...first, payload }], isBatch, deliveryId };
      }
    }
    const handshake = isSigned ? shakeHands(endpoint, true, call, bytes, first.payload) : null;
    return handshake ? { handshake } : { bytes, bodies, isBatch, deliveryId: null };
  }

  return {
    async receive(call) {
      byCaller(callerGroup(call.address));
      using held = new DisposableStack();
      const first = await shared.lookUp(call.address, () => find(call));
      held.defer(shared.enter(await deps.getPerson(first.workspaceId)));
      held.defer(inFlight.enter(`workspace ${first.workspaceId}`, MAX_AT_ONCE.workspace));
      held.defer(inFlight.enter(first.id, MAX_AT_ONCE.endpoint));
      const received = await receiveOnce(first, call).catch((error: unknown) => {
        if (error instanceof Problem) deps.invalid.note(first, error, clock());
        throw error;
      });
      if ('handshake' in received) return received;
      for (let endpoint = first, tries = 1; ; tries++)
        try {
          return await publish(deps, endpoint, call, received);
        } catch (error) {
          if (!(error instanceof EndpointChanged)) throw error;
          if (tries === MAX_TRIES) throw beingChanged();
          // The secrets may have changed as well.
          endpoint = await find(call);
          checkSender(endpoint, call, received.bytes);
        }
    },
  };
}

const getName = ({ id }: ReceivingEndpoint, address: string): string => `${id} ${callerGroup(address)}`;
