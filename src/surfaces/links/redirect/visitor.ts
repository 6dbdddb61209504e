/**
 * Identifies the visitor of a request: address, user agent, location and hash. Cached per connection while unchanged.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { Salts } from '../clicks/salt.ts';
import type { GeoLocation, GeoDatabase } from '../visitor/geo-location.ts';
import { classify, shortAgent, type UserAgent } from '../visitor/user-agent.ts';
import { visitorHash } from '../visitor/visitor-hash.ts';
import type { Callers } from './caller.ts';

export interface Visitor {
  address: string;
  /** Part of the user agent that is used. */
  userAgent: string;
  agent: UserAgent;
  location: GeoLocation;
  /** UTC day of the salt in the hash, in days since 1970. */
  day: number;
  hash: bigint;
}

interface CachedVisitor extends Visitor {
  /** The full User-Agent header. */
  header: string;
}

const last = Symbol('visitor');

/** Creates the function that identifies the visitor of a request at a time (milliseconds since 1970). */
export function createVisitors({
  callers,
  salts,
  geoDatabase,
}: {
  callers: Pick<Callers, 'getAddress'>;
  salts: Pick<Salts, 'getSalt'>;
  geoDatabase: Pick<GeoDatabase, 'getLocation'>;
}): (request: IncomingMessage, at: number) => Visitor {
  let saltDay = -1;
  let salt: Buffer = Buffer.alloc(0);
  let saltText = '';
  const getSaltText = (at: number, day: number): string => {
    const now = salts.getSalt(at);
    if (day !== saltDay || now !== salt) [saltDay, salt, saltText] = [day, now, now.toString('hex')];
    return saltText;
  };
  return (request, at) => {
    const socket = request.socket as Socket & { [last]?: CachedVisitor };
    const header = request.headers['user-agent'] ?? '';
    const address = callers.getAddress(request);
    const day = Math.floor(at / DAY_MS);
    const cached = socket[last];
    if (cached !== undefined && cached.header === header && cached.address === address && cached.day === day)
      return cached;
    const userAgent = shortAgent(header);
    const visitor: CachedVisitor = {
      header,
      address,
      userAgent,
      agent: classify(header),
      location: geoDatabase.getLocation(address),
      day,
      hash: visitorHash(getSaltText(at, day), address, userAgent),
    };
    socket[last] = visitor;
    return visitor;
  };
}
