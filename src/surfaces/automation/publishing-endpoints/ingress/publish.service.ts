/** Publishes with an API key, to an endpoint of the caller's workspace with `auth` `bearer`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { WorkspaceActor } from '../../../../core/auth/actor.ts';
import { createSingleflight } from '../../../../platform/limits/singleflight.ts';
import type { Unit, Units } from '../../../../core/unit/unit-of-work.ts';
import { requireUuid } from '../../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../../platform/http/problem.ts';
import type { RateLimiter } from '../../../../core/api/rate-limit.ts';
import { EndpointChanged } from '../../publications/publication-acceptance.ts';
import type { RenderedPublication } from '../../publications/publication-request.ts';
import type { PublicationObject } from '../../publications/records/publication.schema.ts';
import type { Receiver } from '../../publications/receive.ts';
import { type ReceivingEndpoint, receivingById } from '../endpoint.store.ts';
import type { ReceivedBody } from './payload.ts';
import { getVisibleHeaders, getVisibleQuery } from './request-variables.ts';

/** Maximum attempts if the endpoint is changed concurrently. */
export const MAX_TRIES = 3;

export interface PublishDeps {
  /** Rate limit per endpoint, across all processes. */
  limiter: RateLimiter;
  receiver: Receiver;
}

export type ReadEndpoint = (workspaceId: string, id: string) => Promise<ReceivingEndpoint | undefined>;

/**
 * Creates a reader that shares concurrent reads of the same endpoint. Not for use inside a transaction: it takes
 * another connection.
 */
export function createEndpointReader(units: Pick<Units, 'read'>): ReadEndpoint {
  const read = createSingleflight((_name, workspaceId: string, id: string) =>
    receivingById(units.read.db, workspaceId, id),
  );
  return (workspaceId, id) => read(`${workspaceId} ${id}`, workspaceId, id);
}

/** Reads within the caller's transaction, on its connection. */
export const readWithin =
  ({ db }: Unit): ReadEndpoint =>
  (workspaceId, id) =>
    receivingById(db, workspaceId, id);

/** A request, from either ingress. */
export interface IngressRequest {
  headers: IncomingHttpHeaders;
  /** Path and query as requested. */
  target: string;
}

/**
 * Takes a token from the rate limit.
 * @throws Problem rate_limited
 */
export async function takeToken(
  { limiter }: Pick<PublishDeps, 'limiter'>,
  { id, rateLimit }: ReceivingEndpoint,
): Promise<void> {
  await limiter.take({ keyId: id, rateLimit });
}

export const beingChanged = (): Problem =>
  new Problem('unavailable', 'The publishing endpoint is being changed. Try again.', {
    headers: { 'retry-after': '1' },
  });

/**
 * Finds the endpoint.
 * @throws Problem not_found, wrong_publishing_auth
 */
async function findEndpoint(
  read: ReadEndpoint,
  { workspaceId }: WorkspaceActor,
  id: string,
): Promise<ReceivingEndpoint> {
  const uuid = requireUuid('publishing_endpoint', id);
  const endpoint = await read(workspaceId, uuid);
  if (!endpoint) throw notFound('publishing endpoint');
  if (endpoint.auth.type !== 'bearer')
    throw new Problem(
      'wrong_publishing_auth',
      endpoint.auth.type === 'secret_url'
        ? 'This endpoint uses a secret URL. Send requests to that URL without an API key.'
        : 'This endpoint requires signed requests. Send them to its `url`.',
    );
  if (!endpoint.enabled) throw new Problem('not_found', 'This publishing endpoint is disabled.');
  return endpoint;
}

/**
 * Finds the endpoint, takes a token from its rate limit, and renders; must run before any transaction.
 * @throws Problem not_found, wrong_publishing_auth, rate_limited
 */
export async function preparePublication(
  deps: PublishDeps,
  read: ReadEndpoint,
  actor: WorkspaceActor,
  id: string,
  received: IngressRequest & { body: ReceivedBody },
  isFirst = true,
): Promise<RenderedPublication> {
  const endpoint = await findEndpoint(read, actor, id);
  if (isFirst) await takeToken(deps, endpoint);
  return deps.receiver.prepare({
    endpoint,
    source: 'bearer',
    ...received.body,
    headers: getVisibleHeaders(received.headers),
    query: getVisibleQuery(received.target),
    deliveryId: null,
    actorId: actor.id,
  });
}

/**
 * Publishes a rendered publication.
 * @param again prepares it once more if the endpoint was changed
 * @throws Problem 422 if rejected, unavailable
 */
export async function publish(
  { receiver }: Pick<PublishDeps, 'receiver'>,
  first: RenderedPublication,
  within: Parameters<Receiver['accept']>[1],
  again: () => Promise<RenderedPublication>,
): Promise<PublicationObject> {
  for (let rendered = first, tries = 1; ; tries++)
    try {
      return await receiver.accept(rendered, within);
    } catch (error) {
      if (!(error instanceof EndpointChanged)) throw error;
      if (tries === MAX_TRIES) throw beingChanged();
      rendered = await again();
    }
}
