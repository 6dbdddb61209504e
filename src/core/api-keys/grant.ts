/**
 * Validates the grant of a key: on its own (public keys), and against the rights of its creator (no privilege
 * escalation of any kind).
 */
import type { KeyActor, RateLimit, WorkspaceActor } from '../auth/actor.ts';
import { formatCidr, networkWithin, parseCidr } from '../../platform/http/cidr.ts';
import { allowsModel } from '../auth/allowed-models.ts';
import { BROWSER_SCOPES, mayDo, PRESETS, type Preset, type Scope } from '../vocabulary/scopes.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';

export interface Grant {
  scopes: Scope[];
  preset: Preset | null;
  expiresAt: Date | null;
  allowedIps: string[];
  allowedOrigins: string[];
  allowedModels: string[] | null;
  rateLimit: RateLimit | null;
  disablesCreatedOnEnd: boolean;
}

/**
 * Whether a key is limited to a time, addresses or origins. These limits don't apply to the objects that it creates.
 */
export const isLimited = (grant: Pick<Grant, 'expiresAt' | 'allowedIps' | 'allowedOrigins'>): boolean =>
  grant.expiresAt !== null || grant.allowedIps.length > 0 || grant.allowedOrigins.length > 0;

export const DEFAULT_RATE: RateLimit = { limit: 600, burst: 120 };

/** @returns the networks in canonical form; faults are added to `faults`. */
export function readNetworks(given: string[], faults: FieldError[]): string[] {
  return given.flatMap((text, index) => {
    const cidr = parseCidr(text.trim());
    if (cidr) return [formatCidr(cidr)];
    const detail = 'must be an IPv4 or IPv6 address or network, such as 203.0.113.0/24';
    faults.push({ pointer: `/allowed_ips/${index}`, code: 'invalid_network', detail });
    return [];
  });
}

/** @returns the origins as browsers send them; faults are added to `faults`. */
export function readOrigins(given: string[], faults: FieldError[]): string[] {
  return given.flatMap((text, index) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const bare =
      url && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '').toLowerCase() === url.origin;
    if (bare) return [url.origin];
    const detail = 'must be only a scheme and host, such as https://www.example.com';
    faults.push({ pointer: `/allowed_origins/${index}`, code: 'invalid_origin', detail });
    return [];
  });
}

/**
 * Expands a preset to those of its scopes that the caller has.
 *
 * @throws Problem escalation if the caller has none of them
 */
export function expandPreset(actor: WorkspaceActor, preset: Preset): Scope[] {
  const scopes = PRESETS[preset].filter((scope) => mayDo(actor.scopes, scope));
  if (!scopes.length) throw new Problem('escalation', `You have none of the scopes of the preset ${preset}.`);
  return scopes;
}

/** Rules that apply to every caller. */
export function validateGrant(grant: Grant, now: Date): FieldError[] {
  const faults: FieldError[] = [];
  if (grant.expiresAt && grant.expiresAt <= now)
    faults.push({ pointer: '/expires_at', code: 'in_the_past', detail: 'must be in the future' });
  if (!grant.allowedOrigins.length) return faults;
  const tooMuch = grant.scopes.filter((scope) => !BROWSER_SCOPES.includes(scope));
  if (tooMuch.length)
    faults.push({
      pointer: '/scopes',
      code: 'not_for_browsers',
      detail: `a key with allowed_origins is public and can only have ${BROWSER_SCOPES.join(', ')}, not ${tooMuch.join(', ')}`,
    });
  if (!grant.rateLimit)
    faults.push({
      pointer: '/rate_limit',
      code: 'required',
      detail: 'a key with allowed_origins needs a rate limit',
    });
  if (!grant.expiresAt)
    faults.push({
      pointer: '/expires_at',
      code: 'required',
      detail: 'a key with allowed_origins needs an expiry',
    });
  return faults;
}

function beyondKey(actor: KeyActor, grant: Grant): string[] {
  const beyond: string[] = [];
  const networks = grant.allowedIps.map((text) => parseCidr(text)!);
  if (actor.expiresAt !== null && (grant.expiresAt === null || grant.expiresAt.getTime() > actor.expiresAt))
    beyond.push(`an expiry after ${new Date(actor.expiresAt).toISOString()}`);
  if (
    actor.allowedNetworks.length &&
    (!networks.length || networks.some((network) => !networkWithin(network, actor.allowedNetworks)))
  )
    beyond.push(`addresses outside ${actor.allowedIps.join(', ')}`);
  if (
    actor.allowedOrigins.size &&
    (!grant.allowedOrigins.length || grant.allowedOrigins.some((origin) => !actor.allowedOrigins.has(origin)))
  )
    beyond.push(`origins other than ${[...actor.allowedOrigins].join(', ')}`);
  const { allowedModels: allowed } = actor;
  if (allowed && (!grant.allowedModels || grant.allowedModels.some((model) => !allowsModel(allowed, model))))
    beyond.push(`models other than ${[...allowed].join(', ') || 'none'}`);
  if (
    actor.rateLimit &&
    (!grant.rateLimit ||
      grant.rateLimit.limit > actor.rateLimit.limit ||
      grant.rateLimit.burst > actor.rateLimit.burst)
  )
    beyond.push(
      `more than ${actor.rateLimit.limit} requests per minute with a burst of ${actor.rateLimit.burst}`,
    );
  if (actor.disablesCreatedOnEnd && !grant.disablesCreatedOnEnd)
    beyond.push('objects that outlive it (disable_created_on_end: false)');
  return beyond;
}

/** @throws Problem escalation when the key has, or would have, more than the actor. */
export function assertWithinActor(actor: WorkspaceActor, grant: Grant): void {
  const lacking = grant.scopes.filter((scope) => !mayDo(actor.scopes, scope));
  const beyond = [
    ...(lacking.length ? [`the scopes ${lacking.join(', ')}`] : []),
    ...(actor.kind === 'api_key' ? beyondKey(actor, grant) : []),
  ];
  if (beyond.length)
    throw new Problem('escalation', `You can't give or change a key that has ${beyond.join('; ')}.`);
}

/**
 * Checks that the caller has every scope of a key that it is about to revoke. Other limits of the caller don't matter:
 * revoking grants nothing.
 *
 * @throws Problem escalation
 */
export function assertHasScopes(actor: WorkspaceActor, scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !mayDo(actor.scopes, scope));
  if (lacking.length)
    throw new Problem(
      'escalation',
      `You can't revoke a key that has scopes that you don't have: ${lacking.join(', ')}.`,
    );
}
