/**
 * Public ingress `/in/`: senders with a secret URL or a valid signature publish without an API key.
 * | Anonymous load is bounded. Per IP address: requests, failed attempts, and bodies being received. Per endpoint and
 * workspace: concurrent requests. An unknown token costs one index lookup. A missing endpoint, a disabled one, and one
 * that uses API keys get the same response. A body is read only after its endpoint is known, and its raw bytes are
 * verified.
 */
import type { SecretBox } from '../../../../platform/crypto/secret-box.ts';
import { createFailureLimiter } from '../../../../core/auth/failure-limiter.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { createSingleflight } from '../../../../platform/limits/singleflight.ts';
import { callerGroup } from '../../../../platform/http/caller-address.ts';
import { createInFlight, createRates } from '../../../../platform/http/ingress-limits.ts';
import { publicId } from '../../../../platform/http/ids.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { createSemaphore } from '../../../../platform/limits/semaphore.ts';
import { createTokenBuckets } from '../../../../platform/limits/token-buckets.ts';
import { EndpointChanged } from '../../publications/publication-acceptance.ts';
import type { PublicationObject } from '../../publications/publication.schema.ts';
import { openEndpointSecret } from '../endpoint-secret.ts';
import type { ReceivingEndpoint, SignatureAuth } from '../endpoint.store.ts';
import { receivingByToken } from '../endpoint.system-store.ts';
import { hashToken } from '../endpoint-token.ts';
import { getDeliveryId } from '../signatures/delivery-id.ts';
import { verifySignature } from '../signatures/verify.ts';
import { readPayload, type ReceivedBody } from './payload.ts';
import {
  beingChanged,
  type IngressRequest,
  type PublishDeps,
  MAX_TRIES,
  takeToken,
} from './publish.service.ts';
import { getVisibleHeaders, getVisibleQuery } from './request-variables.ts';
import { getChallenge } from './slack-challenge.ts';

const RATE_OF_CALLER = { perMinute: 12_000, burst: 6_000 };
/** Rate of invalid signatures per IP address and endpoint. */
const RATE_OF_WRONG = { perMinute: 60, burst: 60 };
const MAX_WRONG = 20_000;
const MAX_KNOWN = 20_000;
const LOOKUPS_AT_ONCE = 8;
/** `waiting`: bodies being received from one caller, so that a slow sender does not block others. */
const MAX_AT_ONCE = { waiting: 50, endpoint: 100, workspace: 200, all: 400 };

export interface InCall extends IngressRequest {
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
  | { publication: PublicationObject; headers: Record<string, string> }
  /** Challenge that a platform expects back to verify the URL. */
  | { challenge: string };

export interface IngressDeps extends PublishDeps {
  db: Database;
  secrets: SecretBox;
  clock: () => Date;
}

export const nothingHere = (): Problem =>
  new Problem(
    'not_found',
    'There is no publishing endpoint at this URL. Endpoints that use API keys are at /api/v1/publish/{id}.',
  );

/** Returns the currently valid secrets. */
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
   * Receives a request.
   * @throws Problem not_found, signature_invalid, signature_expired, rate_limited, errors of `readBody` and of parsing
   *   the payload, 422 if rejected and stored as such, unavailable
   */
  receive(call: InCall): Promise<InAnswer>;
}

export function createIngress(deps: IngressDeps): Ingress {
  const { db, secrets, limiter, receiver, clock } = deps;
  const byCaller = createRates(RATE_OF_CALLER);
  const failures = createFailureLimiter();
  const wrong = createTokenBuckets(RATE_OF_WRONG, MAX_WRONG);
  const known = createKnown();
  const inFlight = createInFlight();
  const limit = createSemaphore(LOOKUPS_AT_ONCE);
  const read = createSingleflight((_name, hash: Buffer) => limit(() => receivingByToken(db, hash, clock())));

  /**
   * Finds the endpoint.
   * @throws Problem not_found, rate_limited
   */
  async function find({ token, address }: InCall): Promise<ReceivingEndpoint> {
    const hash = hashToken(token);
    const name = hash.toString('base64');
    if (!known.has(name)) failures.check(address);
    const endpoint = await read(name, hash);
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

  async function publish(endpoint: ReceivingEndpoint, call: InCall, body: ReceivedBody): Promise<InAnswer> {
    const { auth } = endpoint;
    const isSigned = auth.type === 'signature';
    const challenge = isSigned && auth.scheme === 'slack' ? getChallenge(body.payload) : null;
    if (challenge !== null) return { challenge };
    const publication = await receiver.receive({
      endpoint,
      source: isSigned ? 'signature' : 'secret_url',
      ...body,
      headers: getVisibleHeaders(call.headers, isSigned && auth.hmac ? [auth.hmac.header.toLowerCase()] : []),
      query: getVisibleQuery(call.target),
      deliveryId: isSigned ? getDeliveryId(auth.scheme, call.headers, body.payload) : null,
      actorId: publicId('publishing_endpoint', endpoint.id),
    });
    return { publication, headers: limiter.headers({ keyId: endpoint.id, rateLimit: endpoint.rateLimit }) };
  }

  async function getBody({ readBody, address }: InCall): Promise<Buffer> {
    using held = new DisposableStack();
    held.defer(inFlight.enter(`body of ${callerGroup(address)}`, MAX_AT_ONCE.waiting));
    return await readBody();
  }

  /**
   * Requests to a secret URL use up the rate limit of the endpoint. Signed requests use it up only after verification.
   */
  async function receiveOnce(endpoint: ReceivingEndpoint, call: InCall): Promise<[Buffer, ReceivedBody]> {
    if (endpoint.auth.type === 'secret_url') await takeToken(deps, endpoint);
    else checkWrong(endpoint, call.address);
    const bytes = await getBody(call);
    checkSender(endpoint, call, bytes);
    if (endpoint.auth.type === 'signature') await takeToken(deps, endpoint);
    return [bytes, await readPayload(call.headers, bytes)];
  }

  return {
    async receive(call) {
      byCaller(callerGroup(call.address));
      using held = new DisposableStack();
      held.defer(inFlight.enter('all', MAX_AT_ONCE.all));
      const first = await find(call);
      held.defer(inFlight.enter(`workspace ${first.workspaceId}`, MAX_AT_ONCE.workspace));
      held.defer(inFlight.enter(first.id, MAX_AT_ONCE.endpoint));
      const [bytes, body] = await receiveOnce(first, call);
      for (let endpoint = first, tries = 1; ; tries++)
        try {
          return await publish(endpoint, call, body);
        } catch (error) {
          if (!(error instanceof EndpointChanged)) throw error;
          if (tries === MAX_TRIES) throw beingChanged();
          // The secrets may have changed as well.
          endpoint = await find(call);
          checkSender(endpoint, call, bytes);
        }
    },
  };
}

const getName = ({ id }: ReceivingEndpoint, address: string): string => `${id} ${callerGroup(address)}`;
