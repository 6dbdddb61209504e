/**
 * Locates visitors with a MaxMind database that is held in memory, so that lookups never wait. Without the setting GEOIP_DB
 * it is one of countries that comes with the program, and is read at the first lookup. A file of GEOIP_DB is checked every
 * few seconds by path, which also detects a replaced file, and is reloaded once it stops changing. If it cannot be read
 * then, the previous version stays in use.
 * https://maxmind.github.io/MaxMind-DB/
 */
import { createRequire } from 'node:module';
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { ConfigError, GEOIP_OFF } from '../../../platform/config/config.ts';
import type { Log } from '../../../platform/logging/log.ts';

const CHECK_INTERVAL_MS = 5_000;
const MAX_CACHED = 16_384;
const MAX_CITY = 100;
/** Marks the metadata of a database, within the last 128 KiB of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MARKER_WITHIN = 128 * 1024;
/** Database of countries (CC0), https://github.com/sapics/ip-location-db. The build copies it beside the bundle. */
const COUNTRIES = 'geo-whois-asn-country.mmdb';
const COUNTRIES_PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';
/** Types of databases that contain no locations. */
const WITHOUT_LOCATIONS = /asn|isp|domain|connection-type|anonymous/i;

export interface GeoLocation {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** In English. */
  readonly city: string | null;
}

export interface GeoDatabase {
  /** Locates an address. @param address IPv4 or IPv6; any other text has no location */
  getLocation(address: string): GeoLocation;
  close(): void;
}

const NO_LOCATION: GeoLocation = Object.freeze({ country: null, city: null });

/** Records of MaxMind, and the flat records of other providers. */
interface LocationRecord {
  country?: { iso_code?: unknown };
  country_code?: unknown;
  city?: { names?: { en?: unknown } } | string;
}

function toLocation(record: LocationRecord | null): GeoLocation {
  if (record === null) return NO_LOCATION;
  const country = record.country?.iso_code ?? record.country_code;
  const city = typeof record.city === 'string' ? record.city : record.city?.names?.en;
  return Object.freeze({
    country: typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? country : null,
    city: typeof city === 'string' && city !== '' ? city.slice(0, MAX_CITY) : null,
  });
}

/** Opens a database and verifies it. @throws Error if it is not a database of locations */
function openReader(file: Buffer): Reader<Response> {
  if (!file.subarray(-MARKER_WITHIN).includes(MARKER))
    throw new Error('it is not a MaxMind database, or it is truncated');
  const reader = new Reader<Response>(file);
  const { databaseType, searchTreeSize } = reader.metadata;
  if (WITHOUT_LOCATIONS.test(databaseType))
    throw new Error(`it is a ${databaseType} database, which has no locations`);
  if (searchTreeSize >= file.length) throw new Error('it is truncated');
  // Reads records across the search tree, so that a damaged file is detected now and not by a visit.
  for (const address of ['1.1.1.1', '223.255.255.1', '2a00::1'])
    if (canHold(reader, address)) reader.get(address);
  return reader;
}

const canHold = ({ metadata }: Reader<Response>, address: string): boolean =>
  metadata.ipVersion === 6 || isIP(address) === 4;

const getFingerprint = ({ ino, size, mtimeMs }: Stats): string => `${ino}/${size}/${mtimeMs}`;
const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const find = (reader: Reader<Response>, address: string): GeoLocation => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIP(plain) || plain.includes('%') || !canHold(reader, plain)) return NO_LOCATION;
  return toLocation(reader.get(plain) as LocationRecord | null);
};

function readCountries(log: Pick<Log, 'info' | 'warn'>): Reader<Response> | null {
  const beside = join(import.meta.dirname, COUNTRIES);
  try {
    return openReader(
      readFileSync(
        existsSync(beside)
          ? beside
          : createRequire(import.meta.url).resolve(`${COUNTRIES_PACKAGE}/${COUNTRIES}`),
      ),
    );
  } catch (error) {
    log.warn({ err: error }, 'the database of countries cannot be read, clicks have no location');
    return null;
  }
}

/** Remembers locations. A record that is damaged has none, which is logged once. @param getReader null for no database */
function createLocations(getReader: () => Reader<Response> | null, onDamage: (error: unknown) => void) {
  let isDamaged = false;
  const cache = new LRUCache<string, GeoLocation>({
    max: MAX_CACHED,
    memoMethod(address) {
      const reader = getReader();
      try {
        return reader === null ? NO_LOCATION : find(reader, address);
      } catch (error) {
        if (!isDamaged) onDamage(error);
        isDamaged = true;
        return NO_LOCATION;
      }
    },
  });
  return {
    get: (address: string): GeoLocation => cache.memo(address),
    /** After a change of the reader. */
    forget(): void {
      isDamaged = false;
      cache.clear();
    },
  };
}

function openCountries(log: Pick<Log, 'info' | 'warn'>): GeoDatabase {
  /** Undefined until it is needed. */
  let reader: Reader<Response> | null | undefined;
  const getReader = (): Reader<Response> | null =>
    reader === undefined ? (reader = readCountries(log)) : reader;
  const locations = createLocations(getReader, (error) =>
    log.warn({ err: error }, 'the database of countries is damaged: some locations are unknown'),
  );
  return { getLocation: locations.get, close: () => undefined };
}

/**
 * Opens the geo database and watches it for changes.
 * @param path of the database: null for the one that comes with the program, `off` for none, so that all locations are
 * unknown
 * @param checkIntervalMs interval of checks for changes
 * @throws ConfigError naming GEOIP_DB if it cannot be read
 */
export function openGeoDatabase(
  path: string | null,
  log: Pick<Log, 'info' | 'warn'>,
  checkIntervalMs = CHECK_INTERVAL_MS,
): GeoDatabase {
  if (path === null) return openCountries(log);
  if (path === GEOIP_OFF) return { getLocation: () => NO_LOCATION, close: () => undefined };
  let reader: Reader<Response>;
  let fingerprint: string;
  try {
    fingerprint = getFingerprint(statSync(path));
    reader = openReader(readFileSync(path));
  } catch (error) {
    const hint =
      path.trim().toLowerCase() === GEOIP_OFF ? `. To locate no clicks, write GEOIP_DB=${GEOIP_OFF}` : '';
    throw new ConfigError(`GEOIP_DB (${path}) can't be read: ${toMessage(error)}${hint}`);
  }
  const locations = createLocations(
    () => reader,
    (error) => log.warn({ err: error, path }, 'GEOIP_DB is damaged: some locations are unknown'),
  );

  /** Fingerprint of the last check; the file is reloaded if it is the same twice. */
  let seen = fingerprint;
  let warned = '';
  const warn = (error: unknown, reason: string): void => {
    if (warned !== reason)
      log.warn({ err: error, path }, 'GEOIP_DB changed but cannot be read, keeping the previous version');
    warned = reason;
  };
  const check = async (): Promise<void> => {
    const now = getFingerprint(await stat(path));
    const isStable = now === seen;
    seen = now;
    if (now === fingerprint || !isStable || now === warned) return;
    try {
      const read = openReader(await readFile(path));
      if (getFingerprint(await stat(path)) !== now) return;
      reader = read;
    } catch (error) {
      warn(error, now);
      return;
    }
    fingerprint = now;
    warned = '';
    locations.forget();
    log.info({ path, built: reader.metadata.buildEpoch }, 'GEOIP_DB reloaded');
  };
  let checking = false;
  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    void check()
      .catch((error: unknown) => warn(error, 'gone'))
      .finally(() => (checking = false));
  }, checkIntervalMs);
  timer.unref();
  return { getLocation: locations.get, close: () => clearInterval(timer) };
}
