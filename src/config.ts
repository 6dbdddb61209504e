/**
 * Every setting of Fairlead: its name, what it means, how it is read. This table is the only place that
 * reads the environment; `npm start -- --help` and docs/configuration.md are made from it.
 */
import { isIP, isIPv6 } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type AllowEntry, readAllowEntry } from './http/egress/allow.ts';
import { readS3Url, type S3Place } from './s3/s3-url.ts';

/** A setting has a value that can't be used. The message names the setting and says what is allowed. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

interface Setting<T> {
  describe: string;
  fallback: string;
  parse: (raw: string, name: string) => T;
}

const oneOf =
  <const T extends string>(...allowed: T[]) =>
  (raw: string, name: string): T => {
    if ((allowed as string[]).includes(raw)) return raw as T;
    throw new ConfigError(`${name} is "${raw}"; it must be one of: ${allowed.join(', ')}`);
  };

const integer =
  (min: number, max: number) =>
  (raw: string, name: string): number => {
    const value = Number(raw);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new ConfigError(`${name} is "${raw}"; it must be a whole number from ${min} to ${max}`);
  };

const text = (raw: string): string | null => (raw === '' ? null : raw);

const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const url =
  (...schemes: string[]) =>
  (raw: string, name: string): string | null => {
    if (raw === '') return null;
    const parsed = URL.canParse(raw) ? new URL(raw) : null;
    if (parsed && schemes.includes(parsed.protocol.slice(0, -1))) return raw;
    throw new ConfigError(`${name} must be an address that starts with ${schemes.join(':// or ')}://`);
  };

const networks = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    if (ipaddr.isValidCIDR(item) || ipaddr.isValid(item)) return item;
    throw new ConfigError(`${name} has "${item}"; it must be addresses or networks, as 10.0.0.0/8`);
  });

const egressEntries = (raw: string, name: string): AllowEntry[] =>
  list(raw).map((item) => {
    const entry = readAllowEntry(item);
    if (entry) return entry;
    throw new ConfigError(
      `${name} has "${item}"; it must be hosts, addresses or networks, each with or without a port, as n8n.internal:5678, 10.0.0.0/8 or [fd00::1]:443`,
    );
  });

const s3Place = (raw: string, name: string): S3Place | null => {
  if (raw === '') return null;
  const place = readS3Url(raw);
  if (typeof place === 'string') throw new ConfigError(`${name} ${place}`);
  return place;
};

const limits = (raw: string, name: string): Record<string, number> =>
  Object.fromEntries(
    list(raw).map((pair) => {
      const [resource = '', count = ''] = pair.split('=');
      return [resource, integer(0, 1e9)(count, `${name} (${resource})`)];
    }),
  );

const NEVER_LINKED = ['javascript', 'data', 'vbscript', 'blob', 'file'];

const nameServers = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    const [, host = '', port = '53'] =
      /^\[?([^[\]]+?)\]?(?::(\d{1,5}))?$/.exec(isIPv6(item) ? `[${item}]` : item) ?? [];
    if (isIP(host) && Number(port) > 0 && Number(port) < 65_536)
      return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
    throw new ConfigError(
      `${name} has "${item}"; it must be addresses, each with or without a port, as 10.0.0.53 or [fd00::53]:5353`,
    );
  });

const schemes = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    const scheme = item.toLowerCase().replace(/:$/, '');
    if (/^[a-z][a-z0-9+.-]*$/.test(scheme) && !NEVER_LINKED.includes(scheme)) return scheme;
    throw new ConfigError(
      `${name} has "${item}"; it must be schemes, as https or myapp, none of ${NEVER_LINKED.join(', ')}`,
    );
  });

const origin = (raw: string, name: string): string | null => {
  const value = url('http', 'https')(raw, name);
  if (value !== null && new URL(value).pathname !== '/')
    throw new ConfigError(`${name} must have no path: ${new URL(value).origin}`);
  return value === null ? null : new URL(value).origin;
};

function setting<T>(describe: string, fallback: string, parse: Setting<T>['parse']): Setting<T> {
  return { describe, fallback, parse };
}

export const SETTINGS = {
  PORT: setting('Port to listen on.', '3000', integer(0, 65_535)),
  HOST: setting(
    'Address to listen on; 0.0.0.0 for all. Off loopback, BASE_URL is required.',
    '127.0.0.1',
    text,
  ),
  BASE_URL: setting(
    'The address that people and programs reach this server by. Only its host serves console, API and docs. Default: http://localhost:PORT, and any loopback host is accepted.',
    '',
    origin,
  ),
  DATA_DIR: setting('Folder for the embedded database, files and keys.', './data', (raw) =>
    isAbsolute(raw) ? raw : resolve(raw),
  ),
  DATABASE_URL: setting(
    'A PostgreSQL 15+ server to use instead of the embedded one.',
    '',
    url('postgres', 'postgresql'),
  ),
  DATABASE_DIRECT_URL: setting(
    'The same database without a transaction pooler between; for migrations and LISTEN. Default: DATABASE_URL.',
    '',
    url('postgres', 'postgresql'),
  ),
  DATABASE_POOL: setting('Database connections a process.', '16', integer(2, 1000)),
  PROCESSES: setting('Server processes that share the port on this machine.', '1', integer(1, 256)),
  ROLE: setting(
    'What this process does: all; api answers calls and serves the console; worker performs what runs in the background; redirect follows short links, and needs a DATA_DIR that lasts.',
    'all',
    oneOf('all', 'api', 'worker', 'redirect'),
  ),
  FAIRLEAD_SECRET: setting(
    'At least 32 characters; encrypts what is stored. Required with DATABASE_URL; otherwise a key file beside the data.',
    '',
    text,
  ),
  SMTP_URL: setting(
    'Mail server for invitations and password resets, as smtp://user:password@host:587. Off loopback TLS is required; ?tls=optional lets an internal relay do without.',
    '',
    url('smtp', 'smtps'),
  ),
  MAIL_FROM: setting('Sender of those mails. Default: fairlead@ and the host of BASE_URL.', '', text),
  SIGN_UP: setting(
    'Who may sign up: first (the first user, then by invitation), open, or invite.',
    'first',
    oneOf('first', 'open', 'invite'),
  ),
  TRUST_PROXY: setting(
    'Comma-separated addresses (CIDR) of proxies whose X-Forwarded-* headers count.',
    '',
    networks,
  ),
  EGRESS_ALLOW: setting(
    'Comma-separated hosts, addresses and networks (CIDR) that users may make this server call beside the public internet, each with or without a port, as n8n.internal:5678,10.0.0.0/8,[fd00::1]:443. A host may then resolve to anything.',
    '',
    egressEntries,
  ),
  WORKSPACE_LIMITS: setting(
    'Comma-separated most a workspace may hold, as api_keys=50,members=20. Default: no limits.',
    '',
    limits,
  ),
  S3_URL: setting(
    'An S3-compatible store for media instead of DATA_DIR, as https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/prefix, the secret percent-encoded. ?region= where the host does not name it; ?style=host where the bucket has to stand before the host. Required with more than one machine.',
    '',
    s3Place,
  ),
  METRICS_TOKEN: setting(
    'Bearer token for /metrics. Without it only loopback callers are answered.',
    '',
    text,
  ),
  CLICK_SYNC: setting(
    'When a click counts as recorded, and is answered: fdatasync (it survives a power failure) or write (it survives the end of the process).',
    'fdatasync',
    oneOf('fdatasync', 'write'),
  ),
  CLICKS_KEPT_DAYS: setting(
    'Days that single clicks are kept. Their sums are kept as long as the link.',
    '90',
    integer(2, 3_650),
  ),
  GEOIP_DB: setting(
    'A MaxMind database (.mmdb) of cities or countries, for where clicks come from. Read again when the file changes.',
    '',
    text,
  ),
  LINK_SCHEMES: setting(
    'Comma-separated schemes that short links may lead to, as https,http,myapp. javascript, data, vbscript, blob and file never may.',
    'http,https',
    schemes,
  ),
  DNS_SERVERS: setting(
    'Comma-separated addresses of name servers that TXT records of link domains are looked up at, each with or without a port. Default: those of the machine.',
    '',
    nameServers,
  ),
  LOG_LEVEL: setting(
    'Least severe log level written.',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

type Settings = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

export interface Config extends Settings {
  HOST: string;
  /** Address in links and mails, without a trailing slash. */
  baseUrl: string;
  /** True where BASE_URL was given: then only its host is served. */
  baseUrlIsSet: boolean;
  /** True where both HOST and BASE_URL are loopback: nobody else can reach this server. */
  loopbackOnly: boolean;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host name (no port) can only mean this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Reads and checks all settings.
 * @throws ConfigError naming every setting that is wrong, one a line.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { fallback, parse }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    try {
      values[name] = parse(env[name]?.trim() || fallback, name);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length) throw new ConfigError(faults.join('\n'));
  const settings = values as Settings & { HOST: string };
  const hostIsLoopback = isLoopbackHost(settings.HOST);
  if (!hostIsLoopback && !settings.BASE_URL)
    throw new ConfigError(`BASE_URL is required when HOST is not loopback (HOST is ${settings.HOST})`);
  if (settings.DATABASE_URL && settings.FAIRLEAD_SECRET === null)
    throw new ConfigError('FAIRLEAD_SECRET (32 characters or more) is required with DATABASE_URL');
  if (settings.FAIRLEAD_SECRET !== null && settings.FAIRLEAD_SECRET.length < 32)
    throw new ConfigError('FAIRLEAD_SECRET must have 32 characters or more');
  const baseUrl = settings.BASE_URL ?? `http://localhost:${settings.PORT}`;
  return {
    ...settings,
    baseUrl,
    baseUrlIsSet: settings.BASE_URL !== null,
    loopbackOnly: hostIsLoopback && isLoopbackHost(new URL(baseUrl).hostname),
  };
}

/** The settings as text for `--help`. */
export function settingsHelp(): string {
  return Object.entries(SETTINGS)
    .map(
      ([name, { fallback, describe }]) => `  ${name}${fallback ? ` (${fallback})` : ''}\n      ${describe}`,
    )
    .join('\n');
}
