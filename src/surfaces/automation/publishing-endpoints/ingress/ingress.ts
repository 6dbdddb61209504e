/**
 * The open door, `/in/`: whoever knows a secret address, or signs what it sends, publishes without a key.
 *
 * What somebody who knows nothing can ask for is bounded: by address how often, how often in vain, and how many bodies it
 * is waited for; by endpoint and workspace how much is under way; one look-up by an index for each unknown token. Whether there is no such endpoint, or it is disabled,
 * or takes keys, is all one answer. A body is read when its endpoint is known, and its bytes are checked as they came.
 */
import type { SecretBox } from '../../../../platform/crypto/secret-box.ts';
import { createFailureLimiter } from '../../../../core/auth/failure-limiter.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { createSingleflight } from '../../../../platform/db/singleflight.ts';
import { callerGroup } from '../../../../platform/http/caller-address.ts';
import { createInFlight, createRates } from '../../../../platform/http/ingress-limits.ts';
import { publicId } from '../../../../platform/http/ids.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { createSemaphore } from '../../../../platform/http/semaphore.ts';
import { createTokenBuckets } from '../../../../platform/http/token-buckets.ts';
import { EndpointChanged } from '../../publications/publication-acceptance.ts';
import type { PublicationObject } from '../../publications/publication.schema.ts';
import { openEndpointSecret } from '../endpoint-secret.ts';
import type { ReceivingEndpoint, SignatureAuth } from '../endpoint.store.ts';
import { receivingByToken } from '../endpoint.system-store.ts';
import { hashToken } from '../endpoint-token.ts';
import { deliveryIdOf } from '../signatures/delivery-id.ts';
import { verifySignature } from '../signatures/verify.ts';
import { readPayload, type ReceivedBody } from './payload.ts';
import { beingChanged, type Came, type DoorDeps, MAX_TRIES, takeToken } from './publish.service.ts';
import { seenHeaders, seenQuery } from './request-variables.ts';
import { challengeOf } from './slack-challenge.ts';

const RATE_OF_CALLER = { perMinute: 12_000, burst: 6_000 };
/** Signatures of an address that are wrong, at one endpoint. */
const RATE_OF_WRONG = { perMinute: 60, burst: 60 };
const MAX_WRONG = 20_000;
const MAX_KNOWN = 20_000;
const LOOKUPS_AT_ONCE = 8;
/** `waiting`: bodies of one caller that have not come yet; whoever sends them slowly holds up nobody else. */
const MAX_AT_ONCE = { waiting: 50, endpoint: 100, workspace: 200, all: 400 };

export interface InCall extends Came {
  token: string;
  /** Of the caller. */
  address: string;
  /** Called once, when it is known where it goes. @throws Problem */
  readBody: () => Promise<Buffer>;
}

export type InAnswer =
  | { publication: PublicationObject; headers: Record<string, string> }
  /** What a platform wants back to see that somebody listens. */
  | { challenge: string };

export interface IngressDeps extends DoorDeps {
  db: Database;
  secrets: SecretBox;
  clock: () => Date;
}

export const nothingHere = (): Problem =>
  new Problem(
    'not_found',
    'There is no publishing endpoint at this URL. Endpoints that use API keys are at /api/v1/publish/{id}.',
  );

/** The secrets that count now. */
function secretsOf(
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

/** Tokens that led somewhere lately: who knows one isn't held up by strangers who share its address. */
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
   * @throws Problem not_found, signature_invalid, signature_expired, rate_limited, what `readBody` and the reading of the
   * payload throw, 422 for what is refused and kept as rejected, unavailable
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
  const inTurn = createSemaphore(LOOKUPS_AT_ONCE);
  const read = createSingleflight((_name, hash: Buffer) => inTurn(() => receivingByToken(db, hash, clock())));

  /** @throws Problem not_found, rate_limited */
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

  /** @throws Problem signature_invalid, signature_expired */
  function checkSender(endpoint: ReceivingEndpoint, { headers, address }: InCall, body: Buffer): void {
    const { auth } = endpoint;
    if (auth.type !== 'signature') return;
    const now = clock();
    try {
      verifySignature(auth, secretsOf(secrets, endpoint, auth, now), { headers, body }, now);
    } catch (error) {
      if (error instanceof Problem && error.code === 'signature_invalid')
        wrong.drain(nameOf(endpoint, address));
      throw error;
    }
  }

  /** @throws Problem rate_limited where an address has lately signed wrongly too often, here */
  function checkWrong(endpoint: ReceivingEndpoint, address: string): void {
    const seconds = wrong.wait(nameOf(endpoint, address));
    if (seconds > 0)
      throw new Problem('rate_limited', 'Too many invalid signatures from this IP address.', {
        headers: { 'retry-after': String(seconds) },
      });
  }

  async function publish(endpoint: ReceivingEndpoint, call: InCall, body: ReceivedBody): Promise<InAnswer> {
    const { auth } = endpoint;
    const isSigned = auth.type === 'signature';
    const challenge = isSigned && auth.scheme === 'slack' ? challengeOf(body.payload) : null;
    if (challenge !== null) return { challenge };
    const publication = await receiver.receive({
      endpoint,
      source: isSigned ? 'signature' : 'secret_url',
      ...body,
      headers: seenHeaders(call.headers, isSigned && auth.hmac ? [auth.hmac.header.toLowerCase()] : []),
      query: seenQuery(call.target),
      deliveryId: isSigned ? deliveryIdOf(auth.scheme, call.headers, body.payload) : null,
      actorId: publicId('publishing_endpoint', endpoint.id),
    });
    return { publication, headers: limiter.headers({ keyId: endpoint.id, rateLimit: endpoint.rateLimit }) };
  }

  async function bodyOf({ readBody, address }: InCall): Promise<Buffer> {
    using held = new DisposableStack();
    held.defer(inFlight.enter(`body of ${callerGroup(address)}`, MAX_AT_ONCE.waiting));
    return await readBody();
  }

  /** Who knows a secret address uses up its rate; who only knows an address for signatures does not, until it has signed. */
  async function receiveOnce(endpoint: ReceivingEndpoint, call: InCall): Promise<[Buffer, ReceivedBody]> {
    if (endpoint.auth.type === 'secret_url') await takeToken(deps, endpoint);
    else checkWrong(endpoint, call.address);
    const bytes = await bodyOf(call);
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
          // Secrets too may be others by now.
          endpoint = await find(call);
          checkSender(endpoint, call, bytes);
        }
    },
  };
}

const nameOf = ({ id }: ReceivingEndpoint, address: string): string => `${id} ${callerGroup(address)}`;
