/** Fingerprints of links for `find_if_exists`: a hash of all values that a caller can set, except the slug. */
import { hash, randomBytes } from 'node:crypto';
import { TEXT_NAMES } from './link-fields.schema.ts';
import type { LinkValues } from './link-values.ts';
import { toFullUtm } from './link-values.ts';

export interface MadeFor {
  messageId: string | null;
  contactId: string | null;
}

const sorted = (pairs: object): [string, unknown][] =>
  Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1));

const normalizeTags = (names: readonly string[]): string[] =>
  names.map((name) => name.toLowerCase()).toSorted();

export const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  normalizeTags(a).join() === normalizeTags(b).join();

/** Computes the fingerprint. A link with a password matches no other, because the password's text is not stored. */
export function computeFingerprint(values: LinkValues, { messageId, contactId }: MadeFor): Buffer {
  if (values.password_hash !== null) return randomBytes(32);
  const all = [
    values.domain,
    values.url,
    values.title,
    values.description,
    values.image,
    values.expires_at?.getTime() ?? null,
    values.expired_url,
    values.max_clicks,
    values.targeting.map(({ when, url }) => [sorted(when), url]),
    sorted(toFullUtm(values.utm)),
    values.forward_query,
    values.redirect_status,
    values.external_id,
    sorted(values.metadata),
    normalizeTags(values.tags),
    messageId,
    contactId,
    // Texts that links got later count only where they are set: links keep the fingerprint that they were written with.
    ...TEXT_NAMES.filter((name) => name !== 'title' && name !== 'description' && values[name] !== null).map(
      (name) => [name, values[name]],
    ),
  ];
  return hash('sha256', JSON.stringify(all), 'buffer');
}
