/** The configurable scheme `hmac`, for senders with a signature format of their own. */
import type { AuthObject, SIGNED, TIMESTAMP_FORMATS } from './endpoint-auth.schema.ts';
import { badSignature, toHeader, malformed, type SignedParts, type SignedRequest } from './signed-parts.ts';

export type HmacOptions = NonNullable<AuthObject['hmac']>;

const FORMS: Record<(typeof TIMESTAMP_FORMATS)[number], { form: RegExp; read: (text: string) => number }> = {
  unix: { form: /^\d{10}$/, read: (text) => Number(text) * 1000 },
  unix_ms: { form: /^\d{13}$/, read: Number },
  rfc3339: {
    form: /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/,
    read: (text) => Date.parse(text.toUpperCase().replace(' ', 'T')),
  },
};

const SIGNS: Record<(typeof SIGNED)[number], (time: string, body: Buffer) => (string | Buffer)[]> = {
  body: (_time, body) => [body],
  'timestamp.body': (time, body) => [`${time}.`, body],
  timestampbody: (time, body) => [time, body],
  'timestamp:body': (time, body) => [`${time}:`, body],
  'v0:timestamp:body': (time, body) => [`v0:${time}:`, body],
};

function getTime(request: SignedRequest, { timestamp_header: name, timestamp_format: format }: HmacOptions) {
  if (name === null) return { text: '', at: null };
  const text = toHeader(request, name);
  const { form, read } = FORMS[format];
  const at = form.test(text) ? read(text) : Number.NaN;
  if (Number.isNaN(at)) throw badSignature(`The time in ${name} is not of the format ${format}.`);
  return { text, at };
}

/**
 * Reads the signed parts.
 * @throws Problem signature_invalid if a header is missing or malformed
 */
export function hmacParts(request: SignedRequest, options: HmacOptions): SignedParts {
  const { header, algorithm, encoding, prefix, signed } = options;
  const value = toHeader(request, header);
  if (!value.startsWith(prefix)) throw malformed(header, `${prefix}…`);
  const time = getTime(request, options);
  // Otherwise, anything signed with an empty time would pass.
  if (signed !== 'body' && time.at === null)
    throw badSignature('The endpoint has no header with a time configured.');
  const given = value.slice(prefix.length);
  return {
    header,
    algorithm,
    encoding,
    signed: SIGNS[signed](time.text, request.body),
    // Senders differ in the case of hex digits and in base64 padding.
    signatures: [encoding === 'hex' ? given.toLowerCase() : given.replace(/={1,2}$/, '')],
    at: time.at,
    getKey: (secret) => secret,
  };
}
