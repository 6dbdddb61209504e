/**
 * The job `media.fetch`: downloads a file from a caller's URL through the egress guard. Follows up to five redirects;
 * each address is checked and each connection guarded. The limits are two minutes and 64 MiB in total. Temporary
 * failures are retried; `error` contains the last one meanwhile.
 */
import { type Dispatcher, request } from 'undici';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import { EgressError, toEgressError } from '../../../platform/addresses/egress-error.ts';
import { validateUrl } from '../../../platform/addresses/host.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { type MediaFiles, MAX_BYTES, type ReceivedMedia } from './media-files.ts';
import { completeMedia, failMedia, type MediaError, sourceContext } from './media.service.ts';
import { getMedia } from './media.store.ts';

const WITHIN_MS = 120_000;
/** Seconds before each further attempt. */
const WAITS: readonly (number | undefined)[] = [5, 10, 20, 40];
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Responses below 500 that may be temporary. */
const PASSING = new Set([408, 425, 429]);
const LASTING_CODES = new Set(['address_not_allowed', 'invalid_url', 'invalid_request', 'tls_failed']);

export interface FetchDeps {
  units: Units;
  secrets: SecretBox;
  files: MediaFiles;
  quotas: Quotas;
  dispatcher: Dispatcher;
}

/** Why an attempt failed. */
class FetchFault extends Error {
  readonly fault: MediaError;
  readonly isFinal: boolean;

  constructor(code: string, detail: string, isFinal: boolean) {
    super(detail);
    this.fault = { code, detail };
    this.isFinal = isFinal;
  }
}

function toFault(error: unknown, timedOut: boolean): FetchFault {
  if (error instanceof FetchFault) return error;
  if (error instanceof Problem) return new FetchFault(error.code, error.message, error.status < 500);
  if (timedOut)
    return new FetchFault('timeout', `The file was not received within ${WITHIN_MS / 1000} s.`, false);
  const { code, detail } = error instanceof EgressError ? error : toEgressError(error);
  return new FetchFault(code, detail, LASTING_CODES.has(code));
}

/** Returns the last path segment of a URL. */
function nameIn(url: string): string | null {
  const last = new URL(url).pathname.split('/').at(-1)!;
  try {
    return decodeURIComponent(last);
  } catch {
    return last; // not percent-encoded UTF-8: used unchanged
  }
}

const one = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

type Received = { file: ReceivedMedia; fileName: string | null; declaredType: string | null };

/** @param admit rejects a file of so many bytes. @throws FetchFault, EgressError, Problem */
async function receive(
  deps: FetchDeps,
  source: string,
  admit: (bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<Received> {
  let url = source;
  for (let redirects = 0; ; redirects++) {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: deps.dispatcher,
      signal,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Fairlead' },
    });
    // Discards an unread body; its error is ignored.
    const giveUp = (): void => void body.on('error', () => undefined).destroy();
    if (REDIRECTS.has(statusCode)) {
      giveUp();
      const location = one(headers['location']);
      const next = location !== null && URL.canParse(location, url) ? new URL(location, url).href : null;
      if (next === null || validateUrl(next) !== null)
        throw new FetchFault('invalid_redirect', 'The URL redirects to an invalid URL.', true);
      if (redirects === MAX_REDIRECTS)
        throw new FetchFault('too_many_redirects', `There are more than ${MAX_REDIRECTS} redirects.`, true);
      url = next;
      continue;
    }
    if (statusCode !== 200) {
      giveUp();
      const isFinal = statusCode < 500 && !PASSING.has(statusCode);
      throw new FetchFault('address_answered', `The URL responded with ${statusCode}.`, isFinal);
    }
    const encoding = one(headers['content-encoding']) ?? 'identity';
    const announced = Number(one(headers['content-length']) ?? Number.NaN);
    if (encoding !== 'identity' || announced > MAX_BYTES) {
      giveUp();
      if (encoding === 'identity')
        throw new FetchFault('payload_too_large', `A file must have at most ${MAX_BYTES} bytes.`, true);
      throw new FetchFault(
        'invalid_answer',
        'The server sent a compressed response, which was not requested.',
        true,
      );
    }
    await admit(announced || 1).catch((error: unknown) => {
      giveUp();
      throw error;
    });
    const file = await deps.files.receive(body, Number.isNaN(announced) ? null : announced);
    return { file, fileName: nameIn(url), declaredType: one(headers['content-type']) };
  }
}

/**
 * Performs the job. Errors of the URL's server don't fail the job: the next attempt is another job.
 * @throws Error for errors of this server, after which the same job is retried
 */
export async function executeFetch(
  deps: FetchDeps,
  { workspaceId, id, tried }: JobPayloads['media.fetch'],
  stop: AbortSignal,
): Promise<void> {
  const { units, secrets } = deps;
  const row = await getMedia(units.read.db, workspaceId, id);
  if (row?.state !== 'pending' || row.source_sealed === null) return;
  const source = secrets.open(row.source_sealed, sourceContext(workspaceId, id));
  const timeout = AbortSignal.timeout(WITHIN_MS);
  const admit = (bytes: number): Promise<void> =>
    deps.quotas.check(units.read, workspaceId, 'media_bytes', bytes);
  let received: Received | null = null;
  try {
    received = await receive(deps, source, admit, AbortSignal.any([stop, timeout]));
    if (received.file.size === 0) throw new FetchFault('empty', 'The file at the URL is empty.', true);
    await admit(received.file.size);
    await received.file.bring(workspaceId);
  } catch (error) {
    await received?.file.discard();
    if (stop.aborted) throw error;
    const { fault, isFinal } = toFault(error, timeout.aborted);
    const wait = isFinal ? undefined : WAITS[tried];
    await units.write(async (unit) => {
      await failMedia(unit, workspaceId, id, fault, wait === undefined);
      const next = { workspaceId, id, tried: tried + 1 };
      if (wait !== undefined) await unit.jobs.enqueue(unit.db, 'media.fetch', next, { afterSeconds: wait });
    });
    return;
  }
  try {
    const fetched = received;
    await units.write((unit) => completeMedia(unit, deps.quotas, workspaceId, id, fetched));
  } catch (error) {
    // The space was used up in the meantime.
    if (!(error instanceof Problem) || error.code !== 'quota_exceeded') throw error;
    await units.write((unit) => failMedia(unit, workspaceId, id, toFault(error, false).fault, true));
  } finally {
    await received.file.discard();
  }
}

/** Fails the file after the last attempt that an error of this server interrupted. */
export const giveUpFetch = (units: Units, { workspaceId, id }: JobPayloads['media.fetch']) =>
  units.write((unit) => failMedia(unit, workspaceId, id, null, true));
