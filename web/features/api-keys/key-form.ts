/** The values of the API key form, and the request bodies made of them. */
import type { ApiKeyChange, NewApiKey } from '../../api/api-keys.ts';
import type { RateChoice } from '../../design/RateFields.tsx';
import type { ApiKey, ScopeName } from '../../api/types.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

export type Preset = NonNullable<NewApiKey['preset']>;

/** Days, `null` for never, or a chosen date. */
export type Lifetime = 30 | 90 | 365 | null | 'custom';

export interface KeyForm {
  name: string;
  access: 'preset' | 'scopes';
  preset: Preset;
  scopes: ScopeName[];
  expires_at: { lifetime: Lifetime; date: string };
  allowed_ips: string[];
  allowed_origins: string[];
  /** null: all. */
  allowed_models: string[] | null;
  rate_limit: RateChoice;
  /** null: the API decides, by the key's restrictions. */
  disable_created_on_end: boolean | null;
  metadata: MetadataPair[];
}

/** The API's default: requests per minute, and burst. */
const DEFAULT_RATE = { limit: 600, burst: 120 };
const DAY_MS = 86_400_000;

export const emptyKeyForm = (): KeyForm => ({
  name: '',
  access: 'preset',
  preset: 'full',
  scopes: [],
  expires_at: { lifetime: 90, date: '' },
  allowed_ips: [],
  allowed_origins: [],
  allowed_models: null,
  rate_limit: { limited: true, ...DEFAULT_RATE },
  disable_created_on_end: null,
  metadata: [],
});

const localDate = (at: string): string => {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** Returns the form of an existing key. */
export const toKeyForm = (key: ApiKey): KeyForm => ({
  name: key.name,
  access: 'scopes',
  preset: key.preset ?? 'full',
  scopes: key.scopes,
  expires_at: key.expires_at
    ? { lifetime: 'custom', date: localDate(key.expires_at) }
    : { lifetime: null, date: '' },
  allowed_ips: key.allowed_ips,
  allowed_origins: key.allowed_origins,
  allowed_models: key.allowed_models,
  rate_limit: { ...DEFAULT_RATE, ...key.rate_limit, limited: key.rate_limit !== null },
  disable_created_on_end: null,
  metadata: toPairs(key.metadata),
});

const isLimited = (form: KeyForm): boolean =>
  form.expires_at.lifetime !== null || form.allowed_ips.length > 0 || form.allowed_origins.length > 0;

/**
 * Returns whether the objects that the key creates are disabled when it ends.
 * @param key the saved key; null for a new one
 */
export const disablesCreated = (form: KeyForm, key: ApiKey | null): boolean => {
  if (form.disable_created_on_end !== null) return form.disable_created_on_end;
  const becomesLimited = isLimited(form) && !(key && isLimited(toKeyForm(key)));
  return (key?.disable_created_on_end ?? false) || becomesLimited;
};

/** Returns an RFC 3339 time, or null for never. A chosen date counts until its end, in the user's time zone. */
export function getExpiry({ lifetime, date }: KeyForm['expires_at']): string | null {
  if (lifetime === null) return null;
  if (lifetime === 'custom') return date === '' ? null : new Date(`${date}T23:59:59`).toISOString();
  // Rounded to the minute, so that the call on screen doesn't change every second.
  return new Date(Math.floor((Date.now() + lifetime * DAY_MS) / 60_000) * 60_000).toISOString();
}

export const toBody = (form: KeyForm): NewApiKey => ({
  name: form.name.trim(),
  ...(form.access === 'preset' ? { preset: form.preset } : { scopes: form.scopes }),
  expires_at: getExpiry(form.expires_at),
  ...(form.allowed_ips.length > 0 && { allowed_ips: form.allowed_ips }),
  ...(form.allowed_origins.length > 0 && { allowed_origins: form.allowed_origins }),
  ...(form.allowed_models !== null && { allowed_models: form.allowed_models }),
  ...getRate(form.rate_limit),
  ...(form.disable_created_on_end !== null && { disable_created_on_end: form.disable_created_on_end }),
  ...(form.metadata.length > 0 && { metadata: getMetadata(form.metadata) }),
});

function getRate({ limited, limit, burst }: KeyForm['rate_limit']): Pick<NewApiKey, 'rate_limit'> {
  if (!limited) return { rate_limit: null };
  return limit === DEFAULT_RATE.limit && burst === DEFAULT_RATE.burst ? {} : { rate_limit: { limit, burst } };
}

/** Returns a PATCH body: the values that differ from the saved key. */
export function toChange(form: KeyForm, key: ApiKey): ApiKeyChange {
  const { limited, limit, burst } = form.rate_limit;
  const wanted = {
    name: form.name.trim(),
    scopes: form.access === 'preset' ? undefined : form.scopes.toSorted(),
    preset: form.access === 'preset' ? form.preset : undefined,
    expires_at: getExpiry(form.expires_at),
    allowed_ips: form.allowed_ips,
    allowed_origins: form.allowed_origins,
    allowed_models: form.allowed_models,
    rate_limit: limited ? { limit, burst } : null,
    disable_created_on_end: disablesCreated(form, key),
    metadata: getMetadata(form.metadata),
  };
  const before = toKeyForm(key);
  const saved: Record<string, unknown> = {
    ...key,
    scopes: key.scopes.toSorted(),
    preset: undefined,
    expires_at: getExpiry(before.expires_at),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(saved[name]),
    ),
  ) as ApiKeyChange;
}
