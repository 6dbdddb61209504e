/**
 * The few requests that a store of files needs, to any server that speaks S3: signed by SigV4, streamed both ways,
 * tried again where the store is busy or the line broke (each may be sent twice). The operator names the store, so
 * that it need not pass the egress guard. Credentials are in no error: those hold a status and what the store said.
 */
import { createHash } from 'node:crypto';
import { backoff } from '../../time/retry.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { S3Location } from '../../config/s3-url.ts';
import { readDeleteErrors, readErrorMessage, readListing, type S3Listing, writeDelete } from './s3-xml.ts';

/** The store is away, or refuses. */
export class S3Error extends Error {
  override name = 'S3Error';
  /** null where it did not answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export interface S3Body {
  size: number;
  /** SHA-256, hexadecimal: the store refuses what arrives otherwise. */
  sha256: string;
  /** Begins anew each time. */
  open: () => AsyncIterable<Uint8Array> | Uint8Array;
}

export interface S3Client {
  /** @returns bytes that it has, or null where it is not there */
  getSize(key: string): Promise<number | null>;
  /** It is there, whole and durably, or not at all. */
  put(key: string, body: S3Body): Promise<void>;
  /**
   * @returns its bytes from `start`, at least `length` of them (a store may give more); null where it is not there. The
   *   caller reads or destroys them.
   */
  get(key: string, start: number, length: number): Promise<Dispatcher.ResponseData['body'] | null>;
  /** One that is not there is deleted already. */
  remove(key: string): Promise<void>;
  /** At most 1,000. */
  removeAll(keys: string[]): Promise<void>;
  /** A page, by the order of keys. @param token of the page before */
  list(prefix: string, options?: { token?: string | null; max?: number }): Promise<S3Listing>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;
/** To what has a body, once all of it is sent. */
const TAKEN_MS = 30_000;
/** Between two pieces of an answer that is being read. */
const PIECE_MS = 60_000;
const TRIES = 3;
/** No further try begins after that. */
const TRY_WITHIN_MS = 10_000;
const BACKOFF = { firstMs: 150, maxMs: 10_000, jitter: 0.6 };
const MAX_XML_BYTES = 4 * 1024 * 1024;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

interface Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: S3Body;
}

async function toText(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_XML_BYTES) throw new Error('the store answers more than could be read');
  }
  return text;
}

const isPassing = (status: number): boolean => status >= 500 || status === 429;

export function createS3Client(location: S3Location): S3Client {
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_MS },
    bodyTimeout: PIECE_MS,
  });
  const signingKeys = new Map<string, ArrayBuffer>();

  const sendOnce = async ({ method, key = '', query = {}, headers = {}, body }: Call) => {
    const path = key === '' ? '' : `/${location.prefix}${key}`;
    const url = new URL(`${location.endpoint}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? EMPTY_SHA256 },
      accessKeyId: location.accessKeyId,
      secretAccessKey: location.secretAccessKey,
      service: 's3',
      ...(location.region === null ? {} : { region: location.region }),
      cache: signingKeys,
    });
    const signed = await signer.sign();
    return request(signed.url, {
      dispatcher,
      method,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(body ? { 'content-length': String(body.size) } : {}),
      },
      headersTimeout: body ? TAKEN_MS : ANSWER_MS,
      body: (body?.open() ?? null) as Uint8Array | null, // undici takes any iterable
    });
  };

  /** @returns an answer whose status is below 300, or 404; its body is the caller's. */
  const send = async (call: Call): Promise<Dispatcher.ResponseData> => {
    const startedAt = performance.now();
    for (let tried = 1; ; tried++) {
      const mayTryAgain = tried < TRIES && performance.now() - startedAt < TRY_WITHIN_MS;
      try {
        const answer = await sendOnce(call);
        const { statusCode: status, body } = answer;
        if (status < 300 || status === 404) return answer;
        const said = readErrorMessage(await toText(body));
        if (!isPassing(status) || !mayTryAgain)
          throw new S3Error(`the store responded with ${status}${said && ` (${said})`}`, status);
      } catch (error) {
        if (error instanceof S3Error) throw error;
        const { code, message } = error as NodeJS.ErrnoException;
        if (!mayTryAgain) throw new S3Error(`the store cannot be reached (${code ?? message})`, null, error);
      }
      await delay(backoff(tried, BACKOFF));
    }
  };

  /** For what has no need of the body. @returns whether it is there */
  const sendFor = async (call: Call): Promise<Dispatcher.ResponseData | null> => {
    const answer = await send(call);
    const missing = answer.statusCode === 404;
    const said = missing ? readErrorMessage(await toText(answer.body)) : (await answer.body.dump(), '');
    // A bucket that is not there is no answer about a key.
    if (missing && (call.method === 'PUT' || said.startsWith('NoSuchBucket')))
      throw new S3Error(`the store responded with 404${said && ` (${said})`}`, 404);
    return missing ? null : answer;
  };

  return {
    async getSize(key) {
      const answer = await sendFor({ method: 'HEAD', key });
      return answer && Number(answer.headers['content-length']);
    },
    async put(key, body) {
      await sendFor({ method: 'PUT', key, body, headers: { 'content-type': 'application/octet-stream' } });
    },
    async get(key, start, length) {
      const headers = { range: `bytes=${start}-${start + length - 1}` };
      const answer = await send({ method: 'GET', key, headers });
      if (answer.statusCode === 404) {
        await answer.body.dump();
        return null;
      }
      const from = /^bytes (\d+)-/.exec(String(answer.headers['content-range']))?.[1] ?? 0;
      if (Number(from) === start && Number(answer.headers['content-length']) >= length) return answer.body;
      answer.body.on('error', () => undefined).destroy();
      throw new S3Error(`the store returned a different part of ${key} than requested`, answer.statusCode);
    },
    async remove(key) {
      await sendFor({ method: 'DELETE', key });
    },
    async removeAll(keys) {
      if (keys.length === 0) return;
      const xml = Buffer.from(writeDelete(keys.map((key) => location.prefix + key)));
      const sha256 = createHash('sha256').update(xml).digest('hex');
      const headers = {
        'content-type': 'application/xml',
        'content-md5': createHash('md5').update(xml).digest('base64'),
      };
      const body = { size: xml.length, sha256, open: () => xml };
      const answer = await send({ method: 'POST', query: { delete: '' }, headers, body });
      const text = await toText(answer.body);
      const [fault] = answer.statusCode === 404 ? [readErrorMessage(text)] : readDeleteErrors(text);
      if (fault !== undefined) throw new S3Error(`the store did not delete (${fault})`, answer.statusCode);
    },
    async list(prefix, { token = null, max = 1000 } = {}) {
      const query = {
        'list-type': '2',
        prefix: location.prefix + prefix,
        'max-keys': String(max),
        ...(token === null ? {} : { 'continuation-token': token }),
      };
      const answer = await send({ method: 'GET', query });
      const text = await toText(answer.body);
      if (answer.statusCode === 404)
        throw new S3Error(`the store responded with 404 (${readErrorMessage(text)})`, answer.statusCode);
      return readListing(text, location.prefix);
    },
    close: () => dispatcher.destroy(),
  };
}
