/**
 * Every setting of Fairlead: its name, what it means, how it is read. This table is the only place that
 * reads the environment; `fairlead --help` and docs/configuration.md are made from it.
 */
import { isAbsolute, resolve } from 'node:path';
import {
  ConfigError,
  parseOneOf,
  integer,
  text,
  url,
  networks,
  egressEntries,
  parseS3Location,
  reserve,
  limits,
  nameServers,
  schemes,
  origin,
} from './setting-parsers.ts';

export { ConfigError };

interface Setting<T> {
  describe: string;
  fallback: string;
  parse: (raw: string, name: string) => T;
}

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
  DATA_DIR: setting(
    'Folder for the embedded database, files and keys. Started by root where nobody, whom PostgreSQL then runs as, has no access to it (mode 0700), the database is created in a folder of its own below /var/lib/fairlead, which database-location.txt in DATA_DIR names.',
    './data',
    (raw) => (isAbsolute(raw) ? raw : resolve(raw)),
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
  UPGRADE_BACKUP: setting(
    'Whether the database is backed up to DATA_DIR/backups before its schema is changed: on (the last three are kept; without one nothing is changed), or off, for those who have backups of their own.',
    'on',
    parseOneOf('on', 'off'),
  ),
  DATABASE_POOL: setting('Database connections a process.', '16', integer(2, 1000)),
  PROCESSES: setting('Server processes that share the port on this machine.', '1', integer(1, 256)),
  ROLE: setting(
    'What this process does: all; api answers calls and serves the console; worker performs what runs in the background; redirect follows short links, and needs a DATA_DIR that lasts.',
    'all',
    parseOneOf('all', 'api', 'worker', 'redirect'),
  ),
  FAIRLEAD_SECRET: setting(
    'At least 32 characters; encrypts what is stored. Required with DATABASE_URL; otherwise a key file beside the data.',
    '',
    text,
  ),
  FAIRLEAD_SECRET_ALSO: setting(
    'A second secret under which is opened, never sealed: the next one or the one before, while FAIRLEAD_SECRET is rotated (docs/secrets.md).',
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
    parseOneOf('first', 'open', 'invite'),
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
  WORKSPACES_PER_USER: setting(
    'How many workspaces one person may own at a time; 0 for no limit. A deleted workspace counts until it is erased.',
    '50',
    integer(0, 1_000_000),
  ),
  S3_URL: setting(
    'An S3-compatible store for media instead of DATA_DIR, as https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/prefix, the secret percent-encoded. ?region= where the host does not name it; ?style=host where the bucket has to stand before the host. Required with more than one machine.',
    '',
    parseS3Location,
  ),
  STORAGE_RESERVE: setting(
    'How much of each disk that data, embedded database and files lie on stays free: a share up to 50%, or a size, as 2GiB. Below it writes are answered 507; what frees or stops something goes on, and so do reads and short links. 0 turns it off.',
    '5%',
    reserve,
  ),
  METRICS_TOKEN: setting(
    'Bearer token for /metrics. Without it only loopback callers are answered.',
    '',
    text,
  ),
  CLICK_SYNC: setting(
    'When a click counts as recorded, and is answered: fdatasync (it survives a power failure) or write (it survives the end of the process).',
    'fdatasync',
    parseOneOf('fdatasync', 'write'),
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
    parseOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
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

/** Shorter ones are no secrets. */
export const MIN_SECRET_CHARACTERS = 32;

function checkSecrets({ FAIRLEAD_SECRET: first, FAIRLEAD_SECRET_ALSO: also }: Settings): void {
  for (const [name, secret] of Object.entries({ FAIRLEAD_SECRET: first, FAIRLEAD_SECRET_ALSO: also }))
    if (secret !== null && secret.length < MIN_SECRET_CHARACTERS)
      throw new ConfigError(`${name} must have ${MIN_SECRET_CHARACTERS} characters or more`);
  if (also !== null && first === null)
    throw new ConfigError(
      'FAIRLEAD_SECRET_ALSO counts beside FAIRLEAD_SECRET alone; the key file has its own',
    );
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
  if (settings.DATABASE_DIRECT_URL && !settings.DATABASE_URL)
    throw new ConfigError(
      'DATABASE_DIRECT_URL is another way to the database of DATABASE_URL, which is not set',
    );
  checkSecrets(settings);
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
