/** What the form of an instance holds, and the bodies of the API calls that it stands for. */
import type { InstanceChange, NewInstance } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { emptyValues, type Field, fieldsOf, type FieldValues, objectOf, valuesOf } from './schema-fields.ts';

/** Stands in the place of secrets wherever the call is shown. */
export const MASK = '••••••••';
const DEFAULT_TTL = 86_400;
const MAX_TTL = 30 * 86_400;

export interface ChannelFields {
  name: Field;
  settings: Field[];
  credentials: Field[];
  queue: Field[];
}

const plain = (field: Partial<Field> & Pick<Field, 'pointer' | 'label' | 'kind'>): Field => ({
  name: field.pointer.slice(1),
  description: null,
  required: false,
  nullable: false,
  choices: [],
  fallback: null,
  placeholder: '',
  fields: [],
  ...field,
});

const NAME = plain({
  pointer: '/name',
  label: 'Name',
  kind: 'text',
  description: 'What you call it.',
  required: true,
  placeholder: 'Support',
  maxLength: 100,
});
const QUEUE_TTL = plain({
  pointer: '/queue_ttl_seconds',
  label: 'Longest wait in the queue',
  kind: 'integer',
  description: 'In seconds. What could not be sent by then fails as expired; 86400 is a day.',
  fallback: String(DEFAULT_TTL),
  required: true,
  min: 60,
  max: MAX_TTL,
});
const RESEND = plain({
  pointer: '/resend_unknown',
  label: 'Send again what may have been sent',
  kind: 'boolean',
  description:
    'This channel can’t say what became of a message that was under way when a connection died. Such a one fails as delivery_unknown; with this it is sent again, perhaps twice.',
  fallback: false,
});

export const fieldsFor = (channel: Channel): ChannelFields => ({
  name: NAME,
  settings: fieldsOf(channel.settings_schema, '/settings'),
  credentials: fieldsOf(channel.credentials_schema, '/credentials'),
  queue: channel.resend === 'never' ? [QUEUE_TTL, RESEND] : [QUEUE_TTL],
});

/** What the form shows at first. @param instance null for a new one */
export const firstValues = (fields: ChannelFields, instance: Instance | null): FieldValues => ({
  ...emptyValues([fields.name, ...fields.settings, ...fields.credentials, ...fields.queue]),
  ...(instance && {
    ...valuesOf(fields.settings, instance.settings),
    '/name': instance.name,
    '/queue_ttl_seconds': String(instance.queue_ttl_seconds),
    '/resend_unknown': instance.resend_unknown,
  }),
});

const nameOf = (values: FieldValues): string => String(values['/name'] ?? '').trim();

/** @param mask stands in the place of each secret */
export const partsOf = (fields: ChannelFields, values: FieldValues, mask?: string) => ({
  settings: objectOf(fields.settings, values),
  credentials: objectOf(fields.credentials, values, mask),
});

/** The body that makes an instance. */
export function bodyOf(channel: Channel, values: FieldValues, mask?: string): NewInstance {
  const fields = fieldsFor(channel);
  const queue = fields.queue.map((field) => ({ ...field, required: false }));
  return {
    name: nameOf(values),
    channel: channel.id,
    ...partsOf(fields, values, mask),
    ...objectOf(queue, values),
  };
}

/** Whether credentials were written: they are replaced as a whole. */
export const givesCredentials = (fields: ChannelFields, values: FieldValues): boolean =>
  Object.keys(objectOf(fields.credentials, values)).length > 0;

/** Only what differs from the instance as it is: a PATCH body. */
export function changeOf(
  channel: Channel,
  instance: Instance,
  values: FieldValues,
  mask?: string,
): InstanceChange {
  const fields = fieldsFor(channel);
  const before = firstValues(fields, instance);
  const { settings, credentials } = partsOf(fields, values, mask);
  const moved = JSON.stringify(settings) !== JSON.stringify(partsOf(fields, before).settings);
  const ttl = Number(values['/queue_ttl_seconds']);
  const resend = values['/resend_unknown'] === true;
  return {
    ...(nameOf(values) !== instance.name && { name: nameOf(values) }),
    ...(moved && { settings }),
    ...(givesCredentials(fields, values) && { credentials }),
    ...(ttl !== instance.queue_ttl_seconds && { queue_ttl_seconds: ttl }),
    ...(channel.resend === 'never' && resend !== instance.resend_unknown && { resend_unknown: resend }),
  };
}

/** Whether a setting changes to which credentials are sent: then they must be given again. */
export const movesHost = ({ host_settings }: Channel, before: FieldValues, values: FieldValues): boolean =>
  host_settings.some((pointer) => before[`/settings${pointer}`] !== values[`/settings${pointer}`]);
