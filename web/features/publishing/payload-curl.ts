/** The shell command (POSIX) that posts a payload to an endpoint, signed if necessary. */
import { curlFor } from '../../api/curl.ts';
import type { PublishingAuth, PublishingEndpoint } from '../../api/types.ts';

type Endpoint = Pick<PublishingEndpoint, 'id' | 'url' | 'auth'>;
type Hmac = NonNullable<PublishingAuth['hmac']>;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The shell lines of a signature scheme. */
interface Signing {
  before: string[];
  /** The signed content, as arguments of `printf`. */
  signed: string;
  digest: string;
  /** Headers, to be put in double quotes. */
  headers: string[];
}

const HEX_KEY = `KEY=$(printf %s "\${SECRET#whsec_}" | openssl base64 -d -A | od -An -tx1 | tr -d ' \\n')`;
const TIME = 'TIME=$(date +%s)';
const hex = (algorithm: string): string => `openssl dgst -${algorithm} -hmac "$SECRET" -r | cut -d' ' -f1`;

const TIMES = {
  unix: TIME,
  unix_ms: 'TIME=$(date +%s)000',
  rfc3339: 'TIME=$(date -u +%Y-%m-%dT%H:%M:%SZ)',
} as const;
const SIGNED = {
  body: `%s "$BODY"`,
  'timestamp.body': `'%s.%s' "$TIME" "$BODY"`,
  timestampbody: `'%s%s' "$TIME" "$BODY"`,
  'timestamp:body': `'%s:%s' "$TIME" "$BODY"`,
  'v0:timestamp:body': `'v0:%s:%s' "$TIME" "$BODY"`,
} as const;

function hmacSigning({ header, algorithm, encoding, prefix, signed, ...time }: Hmac): Signing {
  const binary = `openssl dgst -${algorithm} -hmac "$SECRET" -binary | openssl base64 -A`;
  return {
    before: time.timestamp_header === null ? [] : [TIMES[time.timestamp_format]],
    signed: SIGNED[signed],
    digest: encoding === 'hex' ? hex(algorithm) : encoding === 'base64' ? binary : `${binary} | tr '+/' '-_'`,
    headers: [
      `${header}: ${prefix}$SIGNATURE`,
      ...(time.timestamp_header === null ? [] : [`${time.timestamp_header}: $TIME`]),
    ],
  };
}

function getSigning({ scheme, hmac }: PublishingAuth): Signing {
  switch (scheme) {
    case 'standard_webhooks':
      return {
        before: [TIME, 'ID="msg_$TIME"', HEX_KEY],
        signed: `'%s.%s.%s' "$ID" "$TIME" "$BODY"`,
        digest: 'openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A',
        headers: ['webhook-id: $ID', 'webhook-timestamp: $TIME', 'webhook-signature: v1,$SIGNATURE'],
      };
    case 'stripe':
      return {
        before: [TIME],
        signed: SIGNED['timestamp.body'],
        digest: hex('sha256'),
        headers: ['Stripe-Signature: t=$TIME,v1=$SIGNATURE'],
      };
    case 'slack':
      return {
        before: [TIME],
        signed: SIGNED['v0:timestamp:body'],
        digest: hex('sha256'),
        headers: ['X-Slack-Request-Timestamp: $TIME', 'X-Slack-Signature: v0=$SIGNATURE'],
      };
    case 'hmac':
      if (hmac) return hmacSigning(hmac);
      break;
    case 'github':
    case null:
  }
  return {
    before: [],
    signed: SIGNED.body,
    digest: hex('sha256'),
    headers: ['X-Hub-Signature-256: sha256=$SIGNATURE'],
  };
}

function signedPost(url: string, auth: PublishingAuth, secret: string | null, body: string): string {
  const { before, signed, digest, headers } = getSigning(auth);
  return [
    `SECRET=${secret === null ? '"$FAIRLEAD_SIGNING_SECRET"' : quote(secret)}`,
    `BODY=${quote(body)}`,
    ...before,
    `SIGNATURE=$(printf ${signed} | ${digest})`,
    `curl -X POST ${quote(url)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    ...headers.map((header) => `  -H "${header}" \\`),
    `  -d "$BODY"`,
  ].join('\n');
}

/**
 * @param endpoint as the API returned it; `url` is null if it is secret
 * @param secret the signing secret, if known
 */
export function payloadCurl(endpoint: Endpoint, secret: string | null, payload: unknown): string {
  const { auth, url, id } = endpoint;
  if (auth.type === 'bearer') return curlFor({ method: 'POST', path: `/publish/${id}`, body: payload });
  if (auth.type === 'signature') return signedPost(url ?? '', auth, secret, JSON.stringify(payload));
  return [
    `curl -X POST ${url === null ? '"$FAIRLEAD_PUBLISHING_URL"' : quote(url)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quote(JSON.stringify(payload, null, 2))}`,
  ].join('\n');
}
