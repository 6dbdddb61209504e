/** Who visits: address, agent, place and hash, worked out once for a connection as long as they stay the same. */
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
  /** What counts of it. */
  userAgent: string;
  agent: UserAgent;
  location: GeoLocation;
  /** UTC day of the salt that the hash is made with, counted from 1970. */
  day: number;
  hash: bigint;
}

interface Remembered extends Visitor {
  /** The whole header. */
  header: string;
}

const last = Symbol('visitor');

/** @returns tells who sent a request at a time (milliseconds since 1970) */
export function createVisitors({
  callers,
  salts,
  geoDatabase,
}: {
  callers: Pick<Callers, 'addressOf'>;
  salts: Pick<Salts, 'getSalt'>;
  geoDatabase: Pick<GeoDatabase, 'getLocation'>;
}): (request: IncomingMessage, at: number) => Visitor {
  let saltDay = -1;
  let salt: Buffer = Buffer.alloc(0);
  let saltText = '';
  const saltTextOf = (at: number, day: number): string => {
    const now = salts.getSalt(at);
    if (day !== saltDay || now !== salt) [saltDay, salt, saltText] = [day, now, now.toString('hex')];
    return saltText;
  };
  return (request, at) => {
    const socket = request.socket as Socket & { [last]?: Remembered };
    const header = request.headers['user-agent'] ?? '';
    const address = callers.addressOf(request);
    const day = Math.floor(at / DAY_MS);
    const before = socket[last];
    if (before !== undefined && before.header === header && before.address === address && before.day === day)
      return before;
    const userAgent = shortAgent(header);
    const visitor: Remembered = {
      header,
      address,
      userAgent,
      agent: classify(header),
      location: geoDatabase.getLocation(address),
      day,
      hash: visitorHash(saltTextOf(at, day), address, userAgent),
    };
    socket[last] = visitor;
    return visitor;
  };
}
