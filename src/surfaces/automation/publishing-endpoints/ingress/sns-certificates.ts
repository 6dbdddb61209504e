/** Certificates with which Amazon SNS signs: fetched from its own hosts only, and kept in memory for a day. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Egress } from '../../../../platform/egress/egress.ts';
import { EgressError } from '../../../../platform/egress/egress-error.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { createSingleflight } from '../../../../platform/limits/singleflight.ts';
import { badSignature } from '../signatures/signed-parts.ts';

const HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(\.cn)?$/;
const PATH = /^\/[\w-]{1,200}\.pem$/;
const FETCH_MS = 5_000;
const MAX_BYTES = 16 * 1024;
const MAX_KEPT = 50;
const KEPT_MS = 24 * 3_600_000;

/** Returns whether a URL is one of Amazon SNS: https, at the default port, without credentials. */
export function isSnsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  return protocol === 'https:' && HOST.test(host) && username === '' && password === '';
}

const unavailable = (): Problem =>
  new Problem('unavailable', 'The signing certificate of Amazon SNS cannot be fetched now. Try again.', {
    headers: { 'retry-after': '10' },
  });

function readCertificate(pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw badSignature('The SigningCertURL does not lead to a certificate.');
  }
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

  return async (url: string): Promise<KeyObject> => {
    if (!isSnsUrl(url) || !PATH.test(new URL(url).pathname) || new URL(url).search !== '')
      throw badSignature('The SigningCertURL must be an https URL of Amazon SNS.');
    const certificate = kept.get(url) ?? (await fetchOnce(url));
    const now = deps.clock();
    if (now < certificate.validFromDate || now > certificate.validToDate)
      throw badSignature('The certificate at the SigningCertURL is not valid now.');
    if (certificate.publicKey.asymmetricKeyType !== 'rsa')
      throw badSignature('The certificate at the SigningCertURL must have an RSA key.');
    return certificate.publicKey;
  };
}
