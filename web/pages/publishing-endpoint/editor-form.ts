/** What the editor of an endpoint holds, and the bodies of the API calls that it stands for. */
import type { EndpointChange, NewEndpoint } from '../../api/publishing.ts';
import type { Destination, PublishingEndpoint } from '../../api/types.ts';
import { changes } from '../../ui/changes.ts';
import type { RateChoice } from '../../ui/RateFields.tsx';

/** The four ways to name a recipient. */
export const RECIPIENTS = ['to', 'contact_id', 'chat_id', 'group_id'] as const;
export type RecipientKind = (typeof RECIPIENTS)[number];

export interface DestinationForm {
  /** Tells cards apart while they move. */
  key: number;
  instance_id: string;
  recipient: RecipientKind;
  /** An address, as a template. */
  to: string;
  /** Id of the contact, chat or group. */
  chosen: string;
  type: string;
  template: string;
  media: string;
  file_name: string;
  subject: string;
}

/** In seconds. */
export const DELAY_UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type DelayUnit = keyof typeof DELAY_UNITS;

export interface EditorForm {
  name: string;
  destinations: DestinationForm[];
  filter: string;
  dedupe_key: string;
  at: string;
  /** As it is typed. */
  delay: string;
  delay_unit: DelayUnit;
  quiet: { on: boolean; from: string; to: string; time_zone: string };
  shorten_links: boolean;
  allow_partial: boolean;
  rate_limit: RateChoice;
}

let keys = 0;
export const newDestination = (with_: Partial<DestinationForm> = {}): DestinationForm => ({
  instance_id: '',
  recipient: 'to',
  to: '',
  chosen: '',
  type: 'text',
  template: '',
  media: '',
  file_name: '',
  subject: '',
  ...with_,
  key: ++keys,
});

/** The reader's own: where quiet hours are most likely meant. */
const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const DEFAULT_RATE = { limit: 600, burst: 120 };

export const emptyEditorForm = (destinations: DestinationForm[]): EditorForm => ({
  name: '',
  destinations,
  filter: '',
  dedupe_key: '',
  at: '',
  delay: '',
  delay_unit: 'minutes',
  quiet: { on: false, from: '22:00', to: '07:00', time_zone: ownTimeZone() },
  shorten_links: false,
  allow_partial: false,
  rate_limit: { limited: false, ...DEFAULT_RATE },
});

function destinationFormOf(destination: Destination): DestinationForm {
  const recipient = RECIPIENTS.find((kind) => destination[kind] !== null) ?? 'to';
  return newDestination({
    instance_id: destination.instance_id,
    recipient,
    to: destination.to ?? '',
    chosen: recipient === 'to' ? '' : (destination[recipient] ?? ''),
    type: destination.type,
    template: destination.template ?? '',
    media: destination.media ?? '',
    file_name: destination.file_name ?? '',
    subject: destination.subject ?? '',
  });
}

/** The largest unit that it is a whole number of. */
const unitOf = (seconds: number): DelayUnit =>
  (['days', 'hours', 'minutes'] as const).find((unit) => seconds > 0 && seconds % DELAY_UNITS[unit] === 0) ??
  (seconds > 0 ? 'seconds' : 'minutes');

/** The form of an endpoint that exists. */
export function editorFormOf(endpoint: PublishingEndpoint): EditorForm {
  const empty = emptyEditorForm(endpoint.destinations.map(destinationFormOf));
  const seconds = endpoint.schedule?.delay_seconds ?? 0;
  const unit = unitOf(seconds);
  const quiet = endpoint.schedule?.quiet_hours;
  return {
    ...empty,
    name: endpoint.name,
    filter: endpoint.filter ?? '',
    dedupe_key: endpoint.dedupe_key ?? '',
    at: endpoint.schedule?.at ?? '',
    delay: seconds === 0 ? '' : String(seconds / DELAY_UNITS[unit]),
    delay_unit: unit,
    quiet: quiet ? { on: true, ...quiet } : empty.quiet,
    shorten_links: endpoint.shorten_links,
    allow_partial: endpoint.allow_partial,
    rate_limit: { ...DEFAULT_RATE, ...endpoint.rate_limit, limited: endpoint.rate_limit !== null },
  };
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

/** All of it, in the API's order, with null for what is left out. */
const destinationOf = (form: DestinationForm): Destination => {
  const chosen = (kind: RecipientKind) => (form.recipient === kind ? orNull(form.chosen) : null);
  return {
    instance_id: form.instance_id,
    to: form.recipient === 'to' ? orNull(form.to) : null,
    contact_id: chosen('contact_id'),
    chat_id: chosen('chat_id'),
    group_id: chosen('group_id'),
    type: form.type.trim() || 'text',
    template: orNull(form.template),
    media: takesFile(form.type) ? orNull(form.media) : null,
    file_name: takesFile(form.type) ? orNull(form.file_name) : null,
    subject: orNull(form.subject),
  };
};

const FILE_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'];
/** Whether a message of this type has a file, or may have: a template may give any type. */
export const takesFile = (type: string): boolean => FILE_TYPES.includes(type) || isTemplate(type);
export const isTemplate = (text: string): boolean => /\{[{%]/.test(text);

function scheduleOf({ at, delay, delay_unit: unit, quiet }: EditorForm) {
  const seconds = delay.trim() === '' ? 0 : Number(delay) * DELAY_UNITS[unit];
  if (orNull(at) === null && seconds === 0 && !quiet.on) return null;
  const { on, ...hours } = quiet;
  return { at: orNull(at), delay_seconds: seconds, quiet_hours: on ? hours : null };
}

const wholeDefinition = (form: EditorForm) => ({
  destinations: form.destinations.map(destinationOf),
  filter: orNull(form.filter),
  dedupe_key: orNull(form.dedupe_key),
  schedule: scheduleOf(form),
  shorten_links: form.shorten_links,
  allow_partial: form.allow_partial,
});

const withoutNulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) as T;

/** What decides what is published, as a trial takes it. */
export const definitionOf = (form: EditorForm) => {
  const whole = wholeDefinition(form);
  return { ...whole, destinations: whole.destinations.map(withoutNulls) };
};

const rateOf = ({ limited, limit, burst }: RateChoice) => (limited ? { limit, burst } : null);

/** The body that makes it; what is as by default is left out. */
export const bodyOf = (form: EditorForm): Omit<NewEndpoint, 'auth'> => {
  const { destinations, shorten_links, allow_partial, ...others } = definitionOf(form);
  return {
    name: form.name.trim(),
    destinations,
    ...withoutNulls({ ...others, rate_limit: rateOf(form.rate_limit) }),
    ...(shorten_links && { shorten_links }),
    ...(allow_partial && { allow_partial }),
  };
};

/** The body of the PATCH; empty where nothing was changed. */
export function changeOf(form: EditorForm, endpoint: PublishingEndpoint): EndpointChange {
  const wanted = {
    name: form.name.trim(),
    ...wholeDefinition(form),
    rate_limit: rateOf(form.rate_limit),
  };
  const { destinations, ...others } = changes(wanted, endpoint);
  return { ...others, ...(destinations && { destinations: destinations.map(withoutNulls) }) };
}
