/** Parsers for the text of settings, and their error messages. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AllowEntry, readAllowEntry } from '../addresses/allow.ts';
import { readS3Url, type S3Location } from './s3-url.ts';
import { readReserve, type Reserve } from './reserve.ts';

/** A setting has a value that can't be used. The message names the setting and the allowed values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const parseOneOf =
  <const T extends string>(...allowed: T[]) =>
  (raw: string, name: string): T => {
    if ((allowed as string[]).includes(raw)) return raw as T;
    throw new ConfigError(`${name} is "${raw}"; it must be one of: ${allowed.join(', ')}`);
  };

export const integer =
  (min: number, max: number) =>
  (raw: string, name: string): number => {
    const value = Number(raw);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new ConfigError(`${name} is "${raw}"; it must be a whole number from ${min} to ${max}`);
  };

export const text = (raw: string): string | null => (raw === '' ? null : raw);

const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

export const url =
  (...schemes: string[]) =>
  (raw: string, name: string): string | null => {
    if (raw === '') return null;
    const parsed = URL.canParse(raw) ? new URL(raw) : null;
    if (parsed && schemes.includes(parsed.protocol.slice(0, -1))) return raw;
    throw new ConfigError(`${name} must be an address that starts with ${schemes.join(':// or ')}://`);
  };

export const networks = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    if (ipaddr.isValidCIDR(item) || ipaddr.isValid(item)) return item;
    throw new ConfigError(`${name} has "${item}"; it must be addresses or networks, as 10.0.0.0/8`);
  });

export const egressEntries = (raw: string, name: string): AllowEntry[] =>
  list(raw).map((item) => {
    const entry = readAllowEntry(item);
    if (entry) return entry;
    throw new ConfigError(
      `${name} has "${item}"; it must be hosts, addresses or networks, each with or without a port, as n8n.internal:5678, 10.0.0.0/8 or [fd00::1]:443`,
    );
  });

export const parseS3Location = (raw: string, name: string): S3Location | null => {
  if (raw === '') return null;
  const location = readS3Url(raw);
  if (typeof location === 'string') throw new ConfigError(`${name} ${location}`);
  return location;
};

export const reserve = (raw: string, name: string): Reserve | null => {
  const read = readReserve(raw);
  if (read !== undefined) return read;
  throw new ConfigError(`${name} is "${raw}"; it must be a share up to 50%, a size, as 2GiB, or 0`);
};

const size = (raw: string, name: string): number => {
  const read = readReserve(raw);
  if (read && 'bytes' in read) return read.bytes;
  if (/^\d{1,15}$/.test(raw)) return Number(raw);
  throw new ConfigError(`${name} is "${raw}"; it must be a number of bytes, or a size, as 10GiB`);
};

/** `name=count` pairs; of a name in `_bytes`, the count may be a size, as 10GiB. */
export const limits = (raw: string, name: string): Record<string, number> =>
  Object.fromEntries(
    list(raw).map((pair) => {
      const [resource = '', count = ''] = pair.split('=');
      const read = resource.endsWith('_bytes') ? size : integer(0, 1e9);
      return [resource, read(count, `${name} (${resource})`)];
    }),
  );

const NEVER_LINKED = ['javascript', 'data', 'vbscript', 'blob', 'file'];

export const nameServers = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    const [, host = '', port = '53'] =
      /^\[?([^[\]]+?)\]?(?::(\d{1,5}))?$/.exec(isIPv6(item) ? `[${item}]` : item) ?? [];
    if (isIP(host) && Number(port) > 0 && Number(port) < 65_536)
      return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
    throw new ConfigError(
      `${name} has "${item}"; it must be addresses, each with or without a port, as 10.0.0.53 or [fd00::53]:5353`,
    );
  });

export const schemes = (raw: string, name: string): string[] =>
  list(raw).map((item) => {
    const scheme = item.toLowerCase().replace(/:$/, '');
    if (/^[a-z][a-z0-9+.-]*$/.test(scheme) && !NEVER_LINKED.includes(scheme)) return scheme;
    throw new ConfigError(
      `${name} has "${item}"; it must be schemes, as https or myapp, none of ${NEVER_LINKED.join(', ')}`,
    );
  });

export const origin = (raw: string, name: string): string | null => {
  const value = url('http', 'https')(raw, name);
  if (value !== null && new URL(value).pathname !== '/')
    throw new ConfigError(`${name} must have no path: ${new URL(value).origin}`);
  return value === null ? null : new URL(value).origin;
};

export const flag = (raw: string, name: string): boolean =>
  parseOneOf('true', 'false')(raw.toLowerCase(), name) === 'true';

/** A share from 0 to 1. */
export const share = (raw: string, name: string): number => {
  const value = Number(raw);
  if (value >= 0 && value <= 1) return value;
  throw new ConfigError(`${name} is "${raw}"; it must be a number from 0 to 1`);
};

/** `name=value` pairs with percent-encoded values. Values may be secret, so errors don't show them. */
export const pairs = (raw: string, name: string): Record<string, string> =>
  Object.fromEntries(
    list(raw).map((pair) => {
      const at = pair.indexOf('=');
      try {
        if (at > 0) return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        // A percent sign that encodes nothing.
      }
      throw new ConfigError(
        `${name} must be name=value pairs, separated by commas, with percent-encoded values`,
      );
    }),
  );

/** Headers of requests, as `pairs`. */
export const headers = (raw: string, name: string): Record<string, string> => {
  const read = pairs(raw, name);
  try {
    for (const [header, value] of Object.entries(read)) {
      validateHeaderName(header);
      validateHeaderValue(header, value);
    }
  } catch {
    throw new ConfigError(`${name} must be names and values that HTTP headers can have`);
  }
  return read;
};

/** Comma-separated words. */
export const words = list;
