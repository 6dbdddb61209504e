/**
 * Every setting of Fairlead: its name, meaning and parser. This table is the only place that reads the environment;
 * `fairlead --help` and docs/configuration.md are generated from it.
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
  flag,
  share,
  headers,
  pairs,
  words,
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

/** Value of GEOIP_DB for no database. */
export const GEOIP_OFF = 'off';

export const SETTINGS = {
  PORT: setting('Port to listen on.', '3000', integer(0, 65_535)),
  HOST: setting(
    'Address to listen on; 0.0.0.0 for all interfaces. BASE_URL is required unless this is a loopback address.',
    '127.0.0.1',
    text,
  ),
  BASE_URL: setting(
    'Public address of this server. Only its host serves the console, the API and the docs. Default: http://localhost:PORT, with any loopback host accepted.',
    '',
    origin,
  ),
  DATA_DIR: setting(
    'Directory for the embedded database, files and keys. If root starts the server and the user nobody cannot access this directory (mode 0700), the database is created in a separate directory in /var/lib/fairlead, because PostgreSQL then runs as nobody. DATA_DIR/database-location.txt contains its path.',
    './data',
    (raw) => (isAbsolute(raw) ? raw : resolve(raw)),
  ),
  DATABASE_URL: setting(
    'A PostgreSQL 15+ server to use instead of the embedded database.',
    '',
    url('postgres', 'postgresql'),
  ),
  DATABASE_DIRECT_URL: setting(
    'Address of the same database without a transaction pooler, for migrations and LISTEN. Default: DATABASE_URL.',
    '',
    url('postgres', 'postgresql'),
  ),
  UPGRADE_BACKUP: setting(
    'Whether to back up the database to DATA_DIR/backups before its schema changes: on (keeps the last three; if the backup fails, nothing changes), or off if you have your own backups.',
    'on',
    parseOneOf('on', 'off'),
  ),
  DATABASE_POOL: setting('Database connections per process.', '16', integer(2, 1000)),
  PROCESSES: setting('Number of server processes that share the port on this machine.', '1', integer(1, 256)),
  ROLE: setting(
    'What this process does: all; api (serves the API and the console); worker (runs background work); redirect (serves short links; needs a persistent DATA_DIR).',
    'all',
    parseOneOf('all', 'api', 'worker', 'redirect'),
  ),
  FAIRLEAD_SECRET: setting(
    'Root secret of at least 32 characters that encrypts stored credentials. Required with DATABASE_URL. Default: a key file in DATA_DIR.',
    '',
    text,
  ),
  FAIRLEAD_SECRET_ALSO: setting(
    'A second secret, used to decrypt but never to encrypt: the next or the previous one while you rotate FAIRLEAD_SECRET (docs/secrets.md).',
    '',
    text,
  ),
  SMTP_URL: setting(
    'Mail server for invitations, password resets and notices, such as smtp://user:password@host:587. TLS is required unless the server is on loopback; add ?tls=optional for an internal relay without TLS.',
    '',
    url('smtp', 'smtps'),
  ),
  MAIL_FROM: setting(
    'Sender address of these emails. Default: fairlead@ and the host of BASE_URL.',
    '',
    text,
  ),
  SIGN_UP: setting(
    'Who can sign up: first (the first user; everyone else by invitation), open (anyone), or invite (by invitation only).',
    'first',
    parseOneOf('first', 'open', 'invite'),
  ),
  TRUST_PROXY: setting(
    'Comma-separated addresses or networks (CIDR) of proxies whose X-Forwarded-* headers are trusted.',
    '',
    networks,
  ),
  EGRESS_ALLOW: setting(
    'Comma-separated hosts, addresses and networks (CIDR) outside the public internet that users can make this server call, each with an optional port, such as n8n.internal:5678,10.0.0.0/8,[fd00::1]:443. An allowed host can resolve to any address.',
    '',
    egressEntries,
  ),
  WORKSPACE_LIMITS: setting(
    'Comma-separated limits for each workspace, such as api_keys=50,media_bytes=10GiB. Default: no limits.',
    '',
    limits,
  ),
  WORKSPACES_PER_USER: setting(
    'Maximum number of workspaces one user can own; 0 for no limit. A deleted workspace counts until it is erased.',
    '50',
    integer(0, 1_000_000),
  ),
  S3_URL: setting(
    'An S3-compatible bucket that stores media instead of DATA_DIR: https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/prefix. Percent-encode the secret. Add ?region= if the host does not include the region, and ?style=host if the bucket belongs in the host name. Required with more than one machine.',
    '',
    parseS3Location,
  ),
  STORAGE_RESERVE: setting(
    'Free space to keep on each disk that holds data, the embedded database or files: a percentage up to 50%, or a size such as 2GiB. Below it, writes get 507; reads, short links and operations that free space continue. 0 turns it off.',
    '5%',
    reserve,
  ),
  METRICS_TOKEN: setting(
    'Bearer token for /metrics. Without it, only clients on loopback can read metrics.',
    '',
    text,
  ),
  CLICK_SYNC: setting(
    'When a click counts as recorded and the redirect is sent: fdatasync (survives a power failure) or write (survives a crash of the process).',
    'fdatasync',
    parseOneOf('fdatasync', 'write'),
  ),
  CLICKS_KEPT_DAYS: setting(
    'Days to keep individual clicks. Totals are kept as long as the link.',
    '90',
    integer(2, 3_650),
  ),
  GEOIP_DB: setting(
    'Path of a MaxMind database (.mmdb) of cities or countries that locates clicks. Reloaded when the file changes. Without it, clicks have the country of a database that comes with the program; off switches that off.',
    '',
    text,
  ),
  LINK_SCHEMES: setting(
    'Comma-separated URL schemes that short links can use, such as https,http,myapp. javascript, data, vbscript, blob and file are never allowed.',
    'http,https',
    schemes,
  ),
  DNS_SERVERS: setting(
    'Comma-separated addresses of name servers used to look up the TXT records of link domains, each with an optional port. Default: the name servers of the machine.',
    '',
    nameServers,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'Address of an OpenTelemetry collector that receives traces over OTLP/HTTP as JSON, such as http://localhost:4318; /v1/traces is appended. Without an endpoint, there are no traces (docs/tracing.md).',
    '',
    url('http', 'https'),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(
    'The complete address for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT.',
    '',
    url('http', 'https'),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    'Comma-separated headers of each export, such as Authorization=Basic%20abc. Percent-encode values.',
    '',
    headers,
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: setting(
    'Maximum duration of an export, in milliseconds.',
    '10000',
    integer(1, 600_000),
  ),
  OTEL_SERVICE_NAME: setting('Service name in traces. Default: fairlead.', '', text),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    'Comma-separated attributes of this server in traces, such as deployment.environment.name=production. Percent-encode values.',
    '',
    pairs,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'Which traces are recorded: always_on, always_off, or traceidratio (the share OTEL_TRACES_SAMPLER_ARG). With the prefix parentbased_, callers that send traceparent decide about their traces.',
    'parentbased_always_on',
    parseOneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting('Share of traces that traceidratio records, from 0 to 1.', '1', share),
  OTEL_SEMCONV_STABILITY_OPT_IN: setting(
    'Comma-separated opt-ins to newer attribute names. gen_ai_latest_experimental: the latest names of model calls.',
    '',
    words,
  ),
  OTEL_SDK_DISABLED: setting('Whether to turn traces off although an endpoint is set.', 'false', flag),
  LOG_LEVEL: setting(
    'Minimum level of log lines to write.',
    'info',
    parseOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

type Settings = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

export interface Config extends Settings {
  HOST: string;
  /** Address in links and mails, without a trailing slash. */
  baseUrl: string;
  /** True if BASE_URL is set: then only its host is served. */
  baseUrlIsSet: boolean;
  /** True if HOST and BASE_URL are both loopback: the server can't be reached from other machines. */
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
