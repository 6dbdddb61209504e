/**
 * Locates visitors with a MaxMind database (GEOIP_DB) that is held in memory, so that lookups never wait. The file is
 * checked every few seconds by path, which also detects a replaced file, and is reloaded once it stops changing. If it
 * cannot be read then, the previous version stays in use.
 * https://maxmind.github.io/MaxMind-DB/
 */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Reader, type Response } from 'maxmind';
import { ConfigError } from '../../../platform/config/config.ts';
import { remembered } from './remembered.ts';

const LOOK_EVERY_MS = 5_000;
const REMEMBERED = 8_192;
const MAX_CITY = 100;
/** Marks the metadata of a database, within the last 128 KiB of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MARKER_WITHIN = 128 * 1024;
/** Types of databases that contain no locations. */
const NO_PLACES = /asn|isp|domain|connection-type|anonymous/i;

export interface GeoLocation {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** In English. */
  readonly city: string | null;
}

export interface GeoDatabase {
  /** Locates an address. @param address IPv4 or IPv6; any other text has no location */
  placeOf(address: string): GeoLocation;
  close(): void;
}

interface Log {
  info: (data: object, message: string) => void;
  warn: (data: object, message: string) => void;
}

const NOWHERE: GeoLocation = Object.freeze({ country: null, city: null });

/** Records of MaxMind, and the flat records of other providers. */
interface PlaceRecord {
  country?: { iso_code?: unknown };
  country_code?: unknown;
  city?: { names?: { en?: unknown } } | string;
}

function placeIn(record: PlaceRecord | null): GeoLocation {
  if (record === null) return NOWHERE;
  const country = record.country?.iso_code ?? record.country_code;
  const city = typeof record.city === 'string' ? record.city : record.city?.names?.en;
  return Object.freeze({
    country: typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? country : null,
    city: typeof city === 'string' && city !== '' ? city.slice(0, MAX_CITY) : null,
  });
}

/** Opens a database and verifies it. @throws Error if it is not a database of locations */
function readerOf(file: Buffer): Reader<Response> {
  if (!file.subarray(-MARKER_WITHIN).includes(MARKER))
    throw new Error('it is not a MaxMind database, or it is truncated');
  const reader = new Reader<Response>(file);
  const { databaseType, searchTreeSize } = reader.metadata;
  if (NO_PLACES.test(databaseType))
    throw new Error(`it is a ${databaseType} database, which has no locations`);
  if (searchTreeSize >= file.length) throw new Error('it is truncated');
  // Reads records across the search tree, so that a damaged file is detected now and not by a visit.
  for (const address of ['1.1.1.1', '223.255.255.1', '2a00::1'])
    if (canHold(reader, address)) reader.get(address);
  return reader;
}

const canHold = ({ metadata }: Reader<Response>, address: string): boolean =>
  metadata.ipVersion === 6 || isIP(address) === 4;

const printOf = ({ ino, size, mtimeMs }: Stats): string => `${ino}/${size}/${mtimeMs}`;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Opens the geo database and watches it for changes.
 * @param path of the database; null if there is none, so that all locations are unknown
 * @param lookEveryMs interval of checks for changes
 * @throws ConfigError naming GEOIP_DB if it cannot be read
 */
export function openGeoDatabase(path: string | null, log: Log, lookEveryMs = LOOK_EVERY_MS): GeoDatabase {
  if (path === null) return { placeOf: () => NOWHERE, close: () => undefined };
  let reader: Reader<Response>;
  let print: string;
  try {
    print = printOf(statSync(path));
    reader = readerOf(readFileSync(path));
  } catch (error) {
    throw new ConfigError(`GEOIP_DB (${path}) can't be read: ${textOf(error)}`);
  }
  let faultTold = false;
  const places = remembered(REMEMBERED, (address): GeoLocation => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    if (!isIP(plain) || plain.includes('%') || !canHold(reader, plain)) return NOWHERE;
    try {
      return placeIn(reader.get(plain) as PlaceRecord | null);
    } catch (error) {
      if (!faultTold) log.warn({ err: error, path }, 'GEOIP_DB is damaged: some locations are unknown');
      faultTold = true;
      return NOWHERE;
    }
  });

  /** Fingerprint of the last check; the file is reloaded if it is the same twice. */
  let seen = print;
  let warned = '';
  const warn = (error: unknown, about: string): void => {
    if (warned !== about)
      log.warn({ err: error, path }, 'GEOIP_DB changed but cannot be read, keeping the previous version');
    warned = about;
  };
  const look = async (): Promise<void> => {
    const now = printOf(await stat(path));
    const settled = now === seen;
    seen = now;
    if (now === print || !settled || now === warned) return;
    try {
      const read = readerOf(await readFile(path));
      if (printOf(await stat(path)) !== now) return;
      reader = read;
    } catch (error) {
      warn(error, now);
      return;
    }
    print = now;
    warned = '';
    faultTold = false;
    places.clear();
    log.info({ path, built: reader.metadata.buildEpoch }, 'GEOIP_DB reloaded');
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look()
      .catch((error: unknown) => warn(error, 'gone'))
      .finally(() => (looking = false));
  }, lookEveryMs);
  timer.unref();
  return { placeOf: (address) => places.get(address), close: () => clearInterval(timer) };
}
