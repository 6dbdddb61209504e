/**
 * Where a visitor is, out of a MaxMind database (GEOIP_DB) that is held in memory: no look-up waits. The file is looked
 * at every few seconds, by its name, so that one put in its place is seen too; it is read anew once it no longer
 * changes. What can't be read then leaves the one before in use.
 * https://maxmind.github.io/MaxMind-DB/
 */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { ConfigError } from '../../../platform/config/config.ts';

const LOOK_EVERY_MS = 5_000;
const MAX_CACHED = 16_384;
const MAX_CITY = 100;
/** What the description of a database begins with, in the last 128 KiB of its file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MARKER_WITHIN = 128 * 1024;
/** Kinds of databases that hold no places. */
const NO_PLACES = /asn|isp|domain|connection-type|anonymous/i;

export interface GeoLocation {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** In English. */
  readonly city: string | null;
}

export interface GeoDatabase {
  /** @param address IPv4 or IPv6; whatever is neither is nowhere */
  getLocation(address: string): GeoLocation;
  close(): void;
}

interface Log {
  info: (data: object, message: string) => void;
  warn: (data: object, message: string) => void;
}

const NOWHERE: GeoLocation = Object.freeze({ country: null, city: null });

/** MaxMind's records, and the flat ones of other makers. */
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

/** @throws Error when it is no database of places */
function readerOf(file: Buffer): Reader<Response> {
  if (!file.subarray(-MARKER_WITHIN).includes(MARKER))
    throw new Error('it is no MaxMind database, or it is cut off');
  const reader = new Reader<Response>(file);
  const { databaseType, searchTreeSize } = reader.metadata;
  if (NO_PLACES.test(databaseType)) throw new Error(`it is a ${databaseType} database, which has no places`);
  if (searchTreeSize >= file.length) throw new Error('a part of it is missing');
  // Reads a record of each end of the tree, so that a file which is none does not come to light by a visit.
  for (const address of ['1.1.1.1', '223.255.255.1', '2a00::1'])
    if (canHold(reader, address)) reader.get(address);
  return reader;
}

const canHold = ({ metadata }: Reader<Response>, address: string): boolean =>
  metadata.ipVersion === 6 || isIP(address) === 4;

const printOf = ({ ino, size, mtimeMs }: Stats): string => `${ino}/${size}/${mtimeMs}`;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * @param path of the database; null: every place is unknown
 * @param lookEveryMs how often the file is looked at
 * @throws ConfigError naming GEOIP_DB when it can't be read
 */
export function openGeoDatabase(path: string | null, log: Log, lookEveryMs = LOOK_EVERY_MS): GeoDatabase {
  if (path === null) return { getLocation: () => NOWHERE, close: () => undefined };
  let reader: Reader<Response>;
  let print: string;
  try {
    print = printOf(statSync(path));
    reader = readerOf(readFileSync(path));
  } catch (error) {
    throw new ConfigError(`GEOIP_DB (${path}) can't be read: ${textOf(error)}`);
  }
  let faultTold = false;
  const lookUp = (address: string): GeoLocation => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    if (!isIP(plain) || plain.includes('%') || !canHold(reader, plain)) return NOWHERE;
    try {
      return placeIn(reader.get(plain) as PlaceRecord | null);
    } catch (error) {
      if (!faultTold) log.warn({ err: error, path }, 'GEOIP_DB is damaged: some places stay unknown');
      faultTold = true;
      return NOWHERE;
    }
  };
  const cache = new LRUCache<string, GeoLocation>({ max: MAX_CACHED, memoMethod: lookUp });

  /** What it looked like last time; read once it looks the same twice. */
  let seen = print;
  let warned = '';
  const warn = (error: unknown, about: string): void => {
    if (warned !== about)
      log.warn({ err: error, path }, 'GEOIP_DB changed and can not be read: the one before goes on');
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
    cache.clear();
    log.info({ path, built: reader.metadata.buildEpoch }, 'GEOIP_DB was read anew');
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
  return { getLocation: (address) => cache.memo(address), close: () => clearInterval(timer) };
}
