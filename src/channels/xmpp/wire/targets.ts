/**
 * Finds the server of a domain: from the settings, else from its SRV records (RFC 6120, XEP-0368), else at the domain
 * itself.
 */
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { lost } from './errors.ts';
import type { XmppSettings } from './settings.ts';

export interface Target {
  host: string;
  port: number;
}

export interface SrvRecord {
  name: string;
  port: number;
  priority: number;
  weight: number;
}

/** @throws any error if there are none or the lookup fails */
export type ResolveSrv = (name: string) => Promise<SrvRecord[]>;

/** Maximum targets, so that a zone with a thousand records doesn't cause a connection to each. */
const MAX_TARGETS = 4;

const resolveSrv: ResolveSrv = (name) => new Resolver({ timeout: 2000, tries: 2 }).resolveSrv(name);

/** Sorts records as in RFC 2782, with a random order by weight. */
function inOrder(records: readonly SrvRecord[]): SrvRecord[] {
  const drawn = records.map((record) => ({
    record,
    lot: -Math.log(1 - Math.random()) / Math.max(record.weight, 0.001),
  }));
  return drawn
    .sort((one, other) => one.record.priority - other.record.priority || one.lot - other.lot)
    .map(({ record }) => record);
}

/** @throws DriverError lost if the domain's records say that it has no server */
export async function findTargets(
  settings: Pick<XmppSettings, 'host' | 'port' | 'security' | 'domain'>,
  resolve: ResolveSrv = resolveSrv,
): Promise<Target[]> {
  const isTls = settings.security === 'tls';
  const port = settings.port ?? (isTls ? 5223 : 5222);
  if (settings.host !== null) return [{ host: settings.host, port }];
  const own = [{ host: settings.domain, port }];
  const ascii = domainToASCII(settings.domain);
  if (settings.port !== null || ascii === '' || !ascii.includes('.')) return own;
  const service = isTls ? '_xmpps-client' : '_xmpp-client';
  const records = await resolve(`${service}._tcp.${ascii}`).catch(() => []);
  if (records.length === 1 && (records[0]!.name === '.' || records[0]!.name === ''))
    throw lost(
      'no_server',
      `The DNS records of ${settings.domain} say that it has no XMPP server for accounts.`,
    );
  const targets = inOrder(records.slice(0, 100)).map((record) => ({ host: record.name, port: record.port }));
  return targets.length === 0 ? own : targets.slice(0, MAX_TARGETS);
}
