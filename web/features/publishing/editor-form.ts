/** The values of the endpoint editor and the request bodies they stand for. */
import type { EndpointChange, NewEndpoint } from '../../api/publishing.ts';
import type { Destination, PublishingEndpoint } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { ownZone } from '../../design/own-zone.ts';
import type { RateChoice } from '../../design/RateFields.tsx';
import { emptyQuestion, type QuestionForm, toQuestion, toQuestionForm } from '../models/question-form.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

/** The fields that can identify a recipient. */
export const RECIPIENTS = ['to', 'contact_id', 'chat_id', 'group_id'] as const;
export type RecipientKind = (typeof RECIPIENTS)[number];

export interface DestinationForm {
  /** Identifies the card while it is moved. */
  key: number;
  instance_id: string;
  recipient: RecipientKind;
  /** Address template. */
  to: string;
  /** ID of the contact, chat, or group. */
  chosen: string;
  type: string;
  template: string;
  media: string;
  file_name: string;
  subject: string;
  thread_id: string;
}

/** In seconds. */
export const DELAY_UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type DelayUnit = keyof typeof DELAY_UNITS;

export interface EditorForm {
  name: string;
  destinations: DestinationForm[];
  /** Kept while it is off. */
  ask: QuestionForm & { on: boolean };
  filter: string;
  dedupe_key: string;
  at: string;
  /** As typed. */
  delay: string;
  delay_unit: DelayUnit;
  quiet: { on: boolean; from: string; to: string; time_zone: string };
  shorten_links: boolean;
  allow_partial: boolean;
  success_status: 200 | 202;
  rate_limit: RateChoice;
  metadata: MetadataPair[];
}

let lastKey = 0;
export const newDestination = (patch: Partial<DestinationForm> = {}): DestinationForm => ({
  instance_id: '',
  recipient: 'to',
  to: '',
  chosen: '',
  type: 'text',
  template: '',
  media: '',
  file_name: '',
  subject: '',
  thread_id: '',
  ...patch,
  key: ++lastKey,
});

const DEFAULT_RATE = { limit: 600, burst: 120 };

export const emptyEditorForm = (destinations: DestinationForm[]): EditorForm => ({
  name: '',
  destinations,
  ask: { ...emptyQuestion(), on: false },
  filter: '',
  dedupe_key: '',
  at: '',
  delay: '',
  delay_unit: 'minutes',
  quiet: { on: false, from: '22:00', to: '07:00', time_zone: ownZone() },
  shorten_links: false,
  allow_partial: false,
  success_status: 202,
  rate_limit: { limited: false, ...DEFAULT_RATE },
  metadata: [],
});

function toDestinationForm(destination: Destination): DestinationForm {
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
    thread_id: destination.thread_id ?? '',
  });
}

/** Returns the largest unit that divides the delay evenly. */
const largestUnit = (seconds: number): DelayUnit =>
  (['days', 'hours', 'minutes'] as const).find((unit) => seconds > 0 && seconds % DELAY_UNITS[unit] === 0) ??
  (seconds > 0 ? 'seconds' : 'minutes');

/** Returns the form values of an existing endpoint. */
export function toEditorForm(endpoint: PublishingEndpoint): EditorForm {
  const empty = emptyEditorForm(endpoint.destinations.map(toDestinationForm));
  const seconds = endpoint.schedule?.delay_seconds ?? 0;
  const unit = largestUnit(seconds);
  const quiet = endpoint.schedule?.quiet_hours;
  return {
    ...empty,
    name: endpoint.name,
    ...(endpoint.ask_model && { ask: { ...toQuestionForm(endpoint.ask_model), on: true } }),
    filter: endpoint.filter ?? '',
    dedupe_key: endpoint.dedupe_key ?? '',
    at: endpoint.schedule?.at ?? '',
    delay: seconds === 0 ? '' : String(seconds / DELAY_UNITS[unit]),
    delay_unit: unit,
    quiet: quiet ? { on: true, ...quiet } : empty.quiet,
    shorten_links: endpoint.shorten_links,
    allow_partial: endpoint.allow_partial,
    success_status: endpoint.success_status,
    rate_limit: { ...DEFAULT_RATE, ...endpoint.rate_limit, limited: endpoint.rate_limit !== null },
    metadata: toPairs(endpoint.metadata),
  };
}

const blankToNull = (text: string): string | null => (text.trim() === '' ? null : text);

/** Returns all fields in the API's order, null if blank. */
const toDestination = (form: DestinationForm): Destination => {
  const chosen = (kind: RecipientKind) => (form.recipient === kind ? blankToNull(form.chosen) : null);
  return {
    instance_id: form.instance_id,
    to: form.recipient === 'to' ? blankToNull(form.to) : null,
    contact_id: chosen('contact_id'),
    chat_id: chosen('chat_id'),
    group_id: chosen('group_id'),
    type: form.type.trim() || 'text',
    template: blankToNull(form.template),
    media: takesFile(form.type) ? blankToNull(form.media) : null,
    file_name: takesFile(form.type) ? blankToNull(form.file_name) : null,
    subject: blankToNull(form.subject),
    thread_id: blankToNull(form.thread_id),
  };
};

const FILE_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'];
/** Returns whether a message of this type can have a file; a template may return any type. */
export const takesFile = (type: string): boolean => FILE_TYPES.includes(type) || isTemplate(type);
export const isTemplate = (text: string): boolean => /\{[{%]/.test(text);

function toSchedule({ at, delay, delay_unit: unit, quiet }: EditorForm) {
  const seconds = delay.trim() === '' ? 0 : Number(delay) * DELAY_UNITS[unit];
  if (blankToNull(at) === null && seconds === 0 && !quiet.on) return null;
  const { on, ...hours } = quiet;
  return { at: blankToNull(at), delay_seconds: seconds, quiet_hours: on ? hours : null };
}

const fullDefinition = (form: EditorForm) => ({
  destinations: form.destinations.map(toDestination),
  ask_model: form.ask.on ? toQuestion(form.ask) : null,
  filter: blankToNull(form.filter),
  dedupe_key: blankToNull(form.dedupe_key),
  schedule: toSchedule(form),
  shorten_links: form.shorten_links,
  allow_partial: form.allow_partial,
});

export const withoutNulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) as T;

/** Returns the endpoint's definition, without nulls inside. */
export const toDefinition = (form: EditorForm) => {
  const whole = fullDefinition(form);
  return {
    ...whole,
    destinations: whole.destinations.map(withoutNulls),
    ask_model: whole.ask_model && withoutNulls(whole.ask_model),
  };
};

/** Returns the definition for a preview. A question is left out while its required fields are filled in. */
export const toTrial = (form: EditorForm) => {
  const definition = toDefinition(form);
  const { ask_model: question } = definition;
  return { ...definition, ask_model: question?.model && question.prompt ? question : null };
};

const toRateLimit = ({ limited, limit, burst }: RateChoice) => (limited ? { limit, burst } : null);

/** Returns the body that creates the endpoint, without default values. */
export const toCreateBody = (form: EditorForm): Omit<NewEndpoint, 'auth'> => {
  const { destinations, shorten_links, allow_partial, ...others } = toDefinition(form);
  return {
    name: form.name.trim(),
    destinations,
    ...withoutNulls({ ...others, rate_limit: toRateLimit(form.rate_limit) }),
    ...(shorten_links && { shorten_links }),
    ...(allow_partial && { allow_partial }),
    ...(form.success_status === 200 && { success_status: form.success_status }),
    ...(form.metadata.length > 0 && { metadata: getMetadata(form.metadata) }),
  };
};

/** Returns the PATCH body, empty if nothing changed. */
export function toUpdateBody(form: EditorForm, endpoint: PublishingEndpoint): EndpointChange {
  const wanted = {
    name: form.name.trim(),
    ...fullDefinition(form),
    success_status: form.success_status,
    rate_limit: toRateLimit(form.rate_limit),
    metadata: getMetadata(form.metadata),
  };
  const { destinations, ...others } = changes(wanted, endpoint);
  return { ...others, ...(destinations && { destinations: destinations.map(withoutNulls) }) };
}
