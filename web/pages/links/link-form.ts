/** What the form of a link holds, and the body of the API call that it stands for. */
import type { LinkChange, NewLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { changes } from '../../ui/changes.ts';
import { type Utm, UTM_NAMES } from './final-url.ts';

type When = Link['targeting'][number]['when'];
export type Device = NonNullable<When['device']>[number];
export type OperatingSystem = NonNullable<When['os']>[number];
export type RedirectStatus = Link['redirect_status'];

export interface RuleForm {
  /** Tells rules apart while they move. */
  key: number;
  country: string[];
  device: Device[];
  os: OperatingSystem[];
  language: string[];
  url: string;
}

interface Pair {
  key: number;
  name: string;
  value: string;
}

export interface LinkForm {
  url: string;
  /** Empty: this server's own. */
  domain: string;
  /** Empty: one is made. */
  slug: string;
  tags: string[];
  title: string;
  description: string;
  image: string;
  /** As a field for date and time has it, in the reader's time zone; empty: never. */
  expires_at: string;
  expired_url: string;
  max_clicks: string;
  /** What a link has is never known here: it is kept, taken away, or another is set. */
  password: { choice: 'keep' | 'none' | 'set'; text: string };
  targeting: RuleForm[];
  utm: Utm;
  forward_query: boolean;
  redirect_status: RedirectStatus;
  external_id: string;
  metadata: Pair[];
}

const DEFAULT_STATUS = 302;
/** In the shown call, in the place of a password. */
const MASK = '••••••••';

let keys = 0;
export const newRule = (rule: Partial<RuleForm> = {}): RuleForm => ({
  country: [],
  device: [],
  os: [],
  language: [],
  url: '',
  ...rule,
  key: ++keys,
});
export const newPair = (name = '', value = ''): Pair => ({ key: ++keys, name, value });

const two = (part: number): string => String(part).padStart(2, '0');

/** RFC 3339 as a field for date and time wants it. */
export function localTime(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The other way round; null where it is no time. */
export function exactOf(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** @param link null for one that is to be made */
export const linkFormOf = (link: Link | null): LinkForm => ({
  url: link?.url ?? '',
  domain: link?.domain ?? '',
  slug: link?.slug ?? '',
  tags: link?.tags ?? [],
  title: link?.title ?? '',
  description: link?.description ?? '',
  image: link?.image ?? '',
  expires_at: link?.expires_at ? localTime(link.expires_at) : '',
  expired_url: link?.expired_url ?? '',
  max_clicks: link?.max_clicks ? String(link.max_clicks) : '',
  password: { choice: link?.has_password ? 'keep' : 'none', text: '' },
  targeting: (link?.targeting ?? []).map(({ when, url }) => newRule({ ...when, url })),
  utm: Object.fromEntries(UTM_NAMES.map((name) => [name, link?.utm[name] ?? ''])) as unknown as Utm,
  forward_query: link?.forward_query ?? false,
  redirect_status: link?.redirect_status ?? DEFAULT_STATUS,
  external_id: link?.external_id ?? '',
  metadata: Object.entries(link?.metadata ?? {}).map(([name, value]) => newPair(name, value)),
});

const whenOf = ({ country, device, os, language }: RuleForm): When => ({
  ...(country.length > 0 && { country }),
  ...(device.length > 0 && { device }),
  ...(os.length > 0 && { os }),
  ...(language.length > 0 && { language }),
});

/** Every rule stands, also an unfinished one: the server says at which field what is wrong. */
const targetingOf = (rules: readonly RuleForm[]) =>
  rules.map((rule) => ({ when: whenOf(rule), url: rule.url.trim() }));

const utmOf = (utm: Utm) =>
  Object.fromEntries(UTM_NAMES.flatMap((name) => (utm[name].trim() ? [[name, utm[name].trim()]] : [])));

const metadataOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.flatMap(({ name, value }) => (name.trim() ? [[name.trim(), value]] : [])));

const wantedOf = (form: LinkForm) => ({
  url: form.url.trim(),
  domain: form.domain,
  slug: form.slug.trim(),
  tags: form.tags.toSorted(),
  title: form.title.trim() || null,
  description: form.description.trim() || null,
  image: form.image.trim() || null,
  expires_at: exactOf(form.expires_at),
  expired_url: form.expired_url.trim() || null,
  max_clicks: form.max_clicks.trim() === '' ? null : Number(form.max_clicks),
  targeting: targetingOf(form.targeting),
  utm: utmOf(form.utm),
  forward_query: form.forward_query,
  redirect_status: form.redirect_status,
  external_id: form.external_id.trim() || null,
  metadata: metadataOf(form.metadata),
});

const passwordOf = ({ password: { choice, text } }: LinkForm, isShown: boolean) =>
  choice === 'set' ? { password: isShown && text !== '' ? MASK : text } : {};

/** @param isShown whether it is for showing, where no password may stand */
export function bodyOf(form: LinkForm, isShown = false): NewLink {
  const { url, ...wanted } = wantedOf(form);
  const { url: _none, ...empty } = wantedOf(linkFormOf(null));
  return { url, ...changes(wanted, empty), ...passwordOf(form, isShown) };
}

/** Only what differs from the link as it is: a PATCH body. */
export function changeOf(form: LinkForm, link: Link, isShown = false): LinkChange {
  const removed = link.has_password && form.password.choice === 'none';
  return {
    ...changes(wantedOf(form), wantedOf(linkFormOf(link))),
    ...(removed ? { password: null } : passwordOf(form, isShown)),
  };
}
