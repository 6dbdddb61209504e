/**
 * The signature schemes of platforms: the location of signature and time, and the signed content.
 *
 * - standard_webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * - github: https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
 * - stripe: https://docs.stripe.com/webhooks#verify-manually
 * - slack: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
import type { Scheme } from './endpoint-secret.ts';
import { type HmacOptions, hmacParts } from './hmac-scheme.ts';
import {
  badSignature,
  toHeader,
  malformed,
  MAX_SIGNATURES,
  type SignedParts,
  type SignedRequest,
  unixSeconds,
} from './signed-parts.ts';

/** Reads the signed parts; `hmac` has the options of that scheme. */
type Read = (request: SignedRequest, hmac: HmacOptions | null) => SignedParts;

const asText = (secret: string): string => secret;

/** An ID that could be parsed as a different ID, time and body. */
const AMBIGUOUS_ID = /\.\d{10}(\.|$)/;

/** Svix, whose scheme became the standard, still uses its own header prefix. */
function getFamily({ headers }: SignedRequest): 'webhook' | 'svix' {
  return headers['webhook-signature'] === undefined && headers['svix-signature'] !== undefined
    ? 'svix'
    : 'webhook';
}

function standardWebhooks(request: SignedRequest): SignedParts {
  const family = getFamily(request);
  const header = `${family}-signature`;
  const id = toHeader(request, `${family}-id`);
  const time = toHeader(request, `${family}-timestamp`);
  const parts = toHeader(request, header).split(' ').slice(0, MAX_SIGNATURES);
  const signatures = parts.filter((part) => part.startsWith('v1,')).map((part) => part.slice(3));
  if (!signatures.length) throw malformed(header, 'v1,<base64>');
  if (AMBIGUOUS_ID.test(id)) throw badSignature(`The ID in ${family}-id must not look like a timestamp.`);
  return {
    header,
    algorithm: 'sha256',
    encoding: 'base64',
    signed: [`${id}.${time}.`, request.body],
    signatures,
    at: unixSeconds(time, `${family}-timestamp`),
    getKey: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
  };
}

function github(request: SignedRequest): SignedParts {
  const header = 'X-Hub-Signature-256';
  const [, signature] = /^sha256=([0-9a-f]{64})$/.exec(toHeader(request, header)) ?? [];
  if (signature === undefined) throw malformed(header, 'sha256=<64 hexadecimal digits>');
  return {
    header,
    algorithm: 'sha256',
    encoding: 'hex',
    signed: [request.body],
    signatures: [signature],
    at: null,
    getKey: asText,
  };
}

function stripe(request: SignedRequest): SignedParts {
  const header = 'Stripe-Signature';
  const pairs = toHeader(request, header)
    .split(',')
    .map((pair) => pair.trim());
  const getValues = (name: string): string[] =>
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const times = getValues('t');
  const signatures = getValues('v1').slice(0, MAX_SIGNATURES);
  if (times.length !== 1 || !signatures.length) throw malformed(header, 't=<seconds>,v1=<signature>');
  return {
    header,
    algorithm: 'sha256',
    encoding: 'hex',
    signed: [`${times[0]!}.`, request.body],
    signatures,
    at: unixSeconds(times[0]!, header),
    getKey: asText,
  };
}

function slack(request: SignedRequest): SignedParts {
  const header = 'X-Slack-Signature';
  const timeHeader = 'X-Slack-Request-Timestamp';
  const value = toHeader(request, header);
  const time = toHeader(request, timeHeader);
  if (!value.startsWith('v0=')) throw malformed(header, 'v0=<signature>');
  return {
    header,
    algorithm: 'sha256',
    encoding: 'hex',
    signed: [`v0:${time}:`, request.body],
    signatures: [value.slice(3)],
    at: unixSeconds(time, timeHeader),
    getKey: asText,
  };
}

/**
 * Reader by scheme.
 * @throws Problem signature_invalid if a header is missing or malformed
 */
export const SIGNED_BY: Record<Scheme, Read> = {
  standard_webhooks: standardWebhooks,
  github,
  stripe,
  slack,
  hmac: (request, hmac) => hmacParts(request, hmac!),
};
