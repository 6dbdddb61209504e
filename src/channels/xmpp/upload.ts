/**
 * Uploads files (XEP-0363): the account's server assigns an address, the file is streamed there, and the message links
 * to it. The message is not sent until then, so no error here leaves its outcome unknown.
 */
import type { Readable } from 'node:stream';
import xml, { type Element } from '@xmpp/xml';
import { request } from 'undici';
import { EgressError, toEgressError } from '../../platform/addresses/egress-error.ts';
import { validateUrl } from '../../platform/addresses/host.ts';
import type { OutboundFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { readBare } from './wire/address.ts';
import { getAttribute, getChild, getChildren } from './stanza/elements.ts';
import { NS } from './stanza/namespaces.ts';
import { xmlText } from './stanza/text.ts';
import type { WrittenFile } from './stanza/write-message.ts';
import type { XmppStream } from './session/stream.ts';

/** @throws DriverError rejected, busy or lost; never unknown */
export type Upload = (file: OutboundFile, signal: AbortSignal) => Promise<WrittenFile>;

export interface UploadDeps {
  stream: XmppStream;
  context: Pick<DriverContext, 'egress'>;
  /** Whether the account's settings allow connections without TLS. */
  allowsPlain: boolean;
}

const MAX_SERVICES = 30;
const MAX_NAME = 120;
const MAX_URL = 4_096;
const MAX_HEADER = 4_096;
const MAX_HEADERS = 3;
const HEADERS = new Set(['authorization', 'cookie', 'expires']);

const failed = (kind: 'rejected' | 'busy', code: string, detail: string, cause?: unknown): DriverError =>
  new DriverError(kind, code, detail, { cause });

/** Returns a file name that is valid in a path. A long name keeps its extension. */
function getName({ fileName, mimeType, type }: OutboundFile): string {
  const plain = xmlText(fileName ?? '')
    .replaceAll(/[\p{C}/\\]+/gu, '_')
    .trim();
  const name = plain === '' || /^\.+$/.test(plain) ? `${type}.${ending(mimeType)}` : plain;
  const points = Array.from(name);
  if (points.length <= MAX_NAME) return name;
  const end = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
  return points.slice(0, MAX_NAME - end.length).join('') + end;
}
const ending = (mimeType: string): string => /^\w+\/([\w-]{1,10})$/.exec(mimeType)?.[1] ?? 'bin';

function webAddress(given: string | null, allowsPlain: boolean): string {
  const fault = given === null || given.length > MAX_URL ? 'is none' : validateUrl(given);
  if (fault !== null || (!allowsPlain && new URL(given!).protocol !== 'https:'))
    throw failed('rejected', 'upload_failed', "The server's upload service has no usable address.");
  return new URL(given!).href;
}

interface Slot {
  put: string;
  get: string;
  headers: Record<string, string>;
}

function readSlot(answer: Element | null, allowsPlain: boolean): Slot {
  const [put, get] = ['put', 'get'].map((name) => answer && getChild(answer, name, NS.upload));
  const headers: Record<string, string> = {};
  for (const header of put ? getChildren(put, 'header', NS.upload, MAX_HEADERS) : []) {
    const name = (getAttribute(header, 'name') ?? '').toLowerCase();
    const value = header.getText().trim();
    if (HEADERS.has(name) && value.length <= MAX_HEADER && /^[\x20-\x7e]*$/.test(value))
      headers[name] = value;
  }
  return {
    put: webAddress(put ? getAttribute(put, 'url') : null, allowsPlain),
    get: webAddress(get ? getAttribute(get, 'url') : null, allowsPlain),
    headers,
  };
}

/** Converts an error of the upload request. The message was not sent, so `unknown` becomes `busy`. */
function ofQuestion(error: unknown): unknown {
  if (!(error instanceof DriverError)) return error;
  if (error.kind === 'unknown') return failed('busy', 'upload_failed', error.message, error);
  if (error.kind !== 'rejected') return error;
  const code = error.code === 'not_acceptable' ? 'too_large' : 'upload_refused';
  return failed('rejected', code, `The server rejected the file: ${error.message}`, error);
}

export function createUpload({ stream, context, allowsPlain }: UploadDeps): Upload {
  let service: Promise<string | null> | null = null;

  const findService = async (): Promise<string | null> => {
    const payload = xml('query', { xmlns: NS.discoItems });
    const items = await stream.ask({ to: stream.domain, type: 'get', payload });
    const addresses = (items ? getChildren(items, 'item', NS.discoItems, MAX_SERVICES) : []).flatMap(
      (item) => readBare(getAttribute(item, 'jid')) ?? [],
    );
    for (const address of [...addresses, stream.domain]) {
      const features = await stream.features(address).catch((error: unknown) => {
        // A service that is unavailable or doesn't respond is skipped.
        if (error instanceof DriverError && error.kind !== 'lost') return new Set<string>();
        throw error;
      });
      if (features.has(NS.upload)) return address;
    }
    return null;
  };
  const serviceOnce = (): Promise<string | null> => {
    service ??= findService();
    service.catch(() => (service = null));
    return service;
  };

  const put = async (file: OutboundFile, slot: Slot, signal: AbortSignal): Promise<void> => {
    let body: Readable | null = null;
    try {
      body = await file.open();
      const { statusCode, body: answer } = await request(slot.put, {
        dispatcher: context.egress.dispatcher,
        method: 'PUT',
        headers: {
          ...slot.headers,
          'content-type': file.mimeType,
          'content-length': String(file.size),
          'user-agent': 'Fairlead',
        },
        body,
        signal,
      });
      answer.on('error', () => undefined).destroy();
      if (statusCode === 413) throw failed('rejected', 'too_large', 'The file is too large for the server.');
      if (statusCode >= 500 || statusCode === 429)
        throw failed('busy', 'upload_failed', `The upload failed with status ${statusCode}.`);
      if (statusCode < 200 || statusCode > 299)
        throw failed('rejected', 'upload_failed', `The upload failed with status ${statusCode}.`);
    } catch (error) {
      if (error instanceof DriverError || body === null) throw error;
      const fault = error instanceof EgressError ? error : toEgressError(error);
      const isLasting = fault.code === 'address_not_allowed' || fault.code === 'invalid_url';
      throw failed(isLasting ? 'rejected' : 'busy', 'upload_failed', `The upload: ${fault.detail}`, error);
    } finally {
      body?.destroy();
    }
  };

  /** @throws DriverError, never unknown */
  const askForSlot = async (
    file: OutboundFile,
    name: string,
    signal: AbortSignal,
  ): Promise<Element | null> => {
    try {
      const to = await serviceOnce();
      if (to !== null) {
        const about = { filename: name, size: String(file.size), 'content-type': xmlText(file.mimeType) };
        const payload = xml('request', { xmlns: NS.upload, ...about });
        return await stream.ask({ to, type: 'get', payload }, signal);
      }
    } catch (error) {
      throw ofQuestion(error);
    }
    throw failed('rejected', 'upload_unavailable', "The account's server does not support file uploads.");
  };

  return async (file, signal) => {
    const name = getName(file);
    const slot = readSlot(await askForSlot(file, name, signal), allowsPlain);
    await put(file, slot, signal);
    return { url: slot.get, name, mimeType: file.mimeType, size: file.size };
  };
}
