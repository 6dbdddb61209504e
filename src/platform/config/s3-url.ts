/** Location and key of an S3-compatible store, from one URL. */

export interface S3Location {
  /** Of the bucket, without a slash at its end. */
  endpoint: string;
  /** Before every key: empty, or with a slash at its end. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** null: as the host says, or us-east-1. */
  region: string | null;
  /** The part that may be shown. */
  name: string;
}

const FORM =
  'must be https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/prefix?region=…, with what is special in the secret percent-encoded (/ as %2F)';
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const PART = /^[A-Za-z0-9._-]+$/;
const OPTIONS = new Set(['region', 'style']);

/**
 * @returns the location, or the reason why it is invalid, as a sentence that continues after the setting's name. It
 * never contains the URL, which includes the secret.
 */
export function readS3Url(raw: string): S3Location | string {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (!url || !/^https?:$/.test(url.protocol) || !url.username || !url.password || url.hash) return FORM;
  const [bucket = '', ...parts] = url.pathname.slice(1).replace(/\/$/, '').split('/');
  if (!BUCKET.test(bucket)) return FORM;
  if (!parts.every((part) => PART.test(part)))
    return 'has a prefix that may hold only letters, digits and the characters . _ -';
  const unknown = [...url.searchParams.keys()].find((key) => !OPTIONS.has(key));
  if (unknown !== undefined) return 'may have the options region and style, and no others';
  const style = url.searchParams.get('style') ?? 'path';
  if (style !== 'path' && style !== 'host') return 'has a style that must be path or host';
  const { protocol, host } = url;
  try {
    return {
      endpoint: style === 'path' ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`,
      prefix: parts.map((part) => `${part}/`).join(''),
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
      region: url.searchParams.get('region') || null,
      name: `${protocol}//${host}/${bucket}`,
    };
  } catch {
    return FORM; // a % that encodes nothing
  }
}
