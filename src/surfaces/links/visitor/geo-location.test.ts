import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigError } from '../../../platform/config/config.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openGeoDatabase, type GeoDatabase } from './geo-location.ts';
import { mmdb } from '../../../../test/support/links/visitor/mmdb.ts';

const record = (country: string, city: string) => ({
  country: { iso_code: country, geoname_id: 1 },
  city: { geoname_id: 2, names: { de: `${city} (de)`, en: city } },
});
const FILE = mmdb({
  '203.0.113.0/24': record('DE', 'Köln'),
  '2001:db8::/32': record('JP', 'Tokyo'),
  '198.51.100.0/24': { country: { iso_code: 'FR' } },
  '192.0.2.0/25': { country_code: 'BR', city: 'Recife' },
  '192.0.2.128/25': { country: { iso_code: '<script>' } },
});

let opened: GeoDatabase | null = null;
afterEach(() => {
  opened?.close();
  opened = null;
});
const quiet = () => ({ info: vi.fn<() => void>(), warn: vi.fn<() => void>() });

async function folderWith(file: Buffer | string) {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'places.mmdb');
  await writeFile(path, file);
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('an address has its country and city, in both families and in the mapped form', async () => {
  await using folder = await folderWith(FILE);
  opened = openGeoDatabase(folder.path, quiet());
  for (let again = 0; again < 2; again++) {
    expect(opened.getLocation('203.0.113.7')).toEqual({ country: 'DE', city: 'Köln' });
    expect(opened.getLocation('::ffff:203.0.113.7')).toEqual({ country: 'DE', city: 'Köln' });
    expect(opened.getLocation('2001:db8::7')).toEqual({ country: 'JP', city: 'Tokyo' });
    expect(opened.getLocation('198.51.100.1')).toEqual({ country: 'FR', city: null });
    expect(opened.getLocation('192.0.2.1')).toEqual({ country: 'BR', city: 'Recife' });
    expect(opened.getLocation('192.0.2.200')).toEqual({ country: null, city: null });
    for (const nowhere of [
      '127.0.0.1',
      '::1',
      '',
      'unknown',
      '203.0.113',
      'fe80::1%eth0',
      '203.0.113.7, 1.2.3.4',
    ])
      expect(opened.getLocation(nowhere)).toEqual({ country: null, city: null });
  }
});

test('without a database of one’s own, countries are those of the one that comes with the program', () => {
  opened = openGeoDatabase(null, quiet());
  expect(opened.getLocation('81.2.69.142')).toEqual({ country: 'GB', city: null });
  expect(opened.getLocation('::ffff:81.2.69.142')).toEqual({ country: 'GB', city: null });
  expect(opened.getLocation('2a02:8108::1')).toEqual({ country: 'DE', city: null });
  for (const nowhere of ['127.0.0.1', '10.0.0.1', '::1', 'unknown', ''])
    expect(opened.getLocation(nowhere)).toEqual({ country: null, city: null });
});

test('without any database every place is unknown', () => {
  expect(openGeoDatabase('off', quiet()).getLocation('81.2.69.142')).toEqual({ country: null, city: null });
});

test.each(['OFF', 'Off'])('GEOIP_DB=%s is refused with the value that turns locations off', (path) => {
  expect(() => openGeoDatabase(path, quiet())).toThrow(/ENOENT.*\. To locate no clicks, write GEOIP_DB=off$/);
});

test('what is no database of places is refused at start, naming the setting', async () => {
  await using folder = await folderWith('not a database');
  const { path } = folder;
  const rejected = async (file: Buffer | string | null, why: RegExp) => {
    await (file === null ? rm(path) : writeFile(path, file));
    expect(() => openGeoDatabase(path, quiet())).toThrow(ConfigError);
    expect(() => openGeoDatabase(path, quiet())).toThrow(/^GEOIP_DB \(.*places\.mmdb\) can't be read: /);
    expect(() => openGeoDatabase(path, quiet())).toThrow(why);
  };
  await rejected('not a database', /not a MaxMind database, or it is truncated/);
  await rejected(FILE.subarray(0, FILE.length >> 1), /not a MaxMind database, or it is truncated/);
  await rejected('', /truncated/);
  await rejected(FILE.subarray(FILE.length >> 1), /out of range|truncated/);
  await rejected(mmdb({ '203.0.113.0/24': { autonomous_system_number: 1 } }, 'GeoLite2-ASN'), /no locations/);
  await rejected(null, /ENOENT/);
});

test('a file that is put in its place, or written over, is read; a broken one leaves the one before', async () => {
  await using folder = await folderWith(FILE);
  const { path } = folder;
  const log = quiet();
  const geoDatabase = (opened = openGeoDatabase(path, log, 20));
  const city = (): string | null => geoDatabase.getLocation('203.0.113.7').city;
  expect(city()).toBe('Köln');

  await writeFile(`${path}.new`, mmdb({ '203.0.113.0/24': record('DE', 'Bonn') }));
  await rename(`${path}.new`, path);
  await vi.waitFor(() => expect(city()).toBe('Bonn'), 10_000);
  expect(geoDatabase.getLocation('2001:db8::7')).toEqual({ country: null, city: null });

  await truncate(path, 100);
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(1), 10_000);
  expect(city()).toBe('Bonn');
  await writeFile(path, mmdb({ '203.0.113.0/24': record('DE', 'Ulm') }));
  await vi.waitFor(() => expect(city()).toBe('Ulm'), 10_000);

  await rm(path);
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(2), 10_000);
  expect(city()).toBe('Ulm');
  await writeFile(path, mmdb({ '203.0.113.0/24': record('DE', 'Hof') }));
  await vi.waitFor(() => expect(city()).toBe('Hof'), 10_000);
});
