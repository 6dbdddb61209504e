/** Certificates with which Amazon SNS signs: fetched from its own hosts only, and kept in memory for a day. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Egress } from '../../../../platform/egress/egress.ts';
import { EgressError } from '../../../../platform/addresses/egress-error.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { createSingleflight } from '../../../../platform/limits/singleflight.ts';
import { badSignature } from '../authentication/signed-parts.ts';

/** With the name of a region, such as `us-gov-west-1`. Other names can be anyone's: `sns.s3-us-west-2` is a bucket of S3. */
const HOST = /^sns\.[a-z]{2}(-[a-z]{3,12}){1,2}-\d{1,2}\.amazonaws\.com(\.cn)?$/;
const PATH = /^\/[\w-]{1,200}\.pem$/;
const FETCH_MS = 5_000;
const MAX_BYTES = 16 * 1024;
/** As many as SNS has, in all regions together: senders of stolen URLs evict none. */
const MAX_KEPT = 500;
const KEPT_MS = 24 * 3_600_000;

/** Returns whether a URL is one of Amazon SNS: https, at the default port, without credentials. */
function isSnsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  return protocol === 'https:' && HOST.test(host) && username === '' && password === '';
}

const unavailable = (): Problem =>
  new Problem('unavailable', 'The signing certificate of Amazon SNS cannot be fetched now. Try again.', {
    headers: { 'retry-after': '10' },
  });

const notOfSns = (): Problem => badSignature('The SigningCertURL must be an https URL of Amazon SNS.');

function readCertificate(pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw badSignature('The SigningCertURL does not lead to a certificate.');
  }
}

/** Returns whether a URL confirms a subscription of Amazon SNS. */
export function isConfirmationUrl(text: string): boolean {
  if (!isSnsUrl(text)) return false;
  const { pathname, searchParams } = new URL(text);
  return pathname === '/' && searchParams.getAll('Action').join() === 'ConfirmSubscription';
}

/**
 * Creates a function that returns the public key of a certificate.
 * @throws Problem signature_invalid if the URL is not one of SNS or its certificate is not valid now; unavailable
 */
export function createSnsCertificates(deps: { egress: Pick<Egress, 'request'>; clock: () => Date }) {
  const kept = new LRUCache<string, X509Certificate>({ max: MAX_KEPT, ttl: KEPT_MS });
  const fetchOnce = createSingleflight(async (url: string): Promise<X509Certificate> => {
    // Of callers that waited for one another, the first has fetched it.
    const before = kept.get(url);
    if (before) return before;
    const answer = await deps.egress
      .request({
        url,
        method: 'GET',
        headers: { 'user-agent': 'Fairlead' },
        timeoutMs: FETCH_MS,
        maxAnswerBytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        throw error instanceof EgressError ? unavailable() : error;
      });
    if (answer.status >= 500 || answer.status === 429) throw unavailable();
    if (answer.status !== 200) throw badSignature('The SigningCertURL does not lead to a certificate.');
    const certificate = readCertificate(answer.body);
    kept.set(url, certificate);
    return certificate;
  });

  return async (given: string): Promise<KeyObject> => {
    if (!isSnsUrl(given)) throw notOfSns();
    const { href: url, pathname, search, hash } = new URL(given);
    if (!PATH.test(pathname) || search !== '' || hash !== '') throw notOfSns();
    const certificate = kept.get(url) ?? (await fetchOnce(url));
    const now = deps.clock();
    if (now < certificate.validFromDate || now > certificate.validToDate)
      throw badSignature('The certificate at the SigningCertURL is not valid now.');
    if (certificate.publicKey.asymmetricKeyType !== 'rsa')
      throw badSignature('The certificate at the SigningCertURL must have an RSA key.');
    return certificate.publicKey;
  };
}
