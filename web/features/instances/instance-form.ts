/** The fields of an instance's form and the request bodies built from its values. */
import { t } from '../../copy/text.ts';
import { changes } from '../../design/changes.ts';
import type { InstanceChange, NewInstance } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import {
  emptyValues,
  type Field,
  getFields,
  type FieldValues,
  getObject,
  getValues,
} from './schema-fields.ts';

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
  label: t('Name'),
  kind: 'text',
  description: t('Helps you identify this instance.'),
  required: true,
  placeholder: t('Support'),
  maxLength: 100,
});
const QUEUE_TTL = plain({
  pointer: '/queue_ttl_seconds',
  label: t('Queue timeout'),
  kind: 'integer',
  description: t("In seconds. Messages that aren't sent within this time fail as expired."),
  fallback: String(DEFAULT_TTL),
  required: true,
  min: 60,
  max: MAX_TTL,
});
const RESEND = plain({
  pointer: '/resend_unknown',
  label: t('Retry interrupted sends'),
  kind: 'boolean',
  description: t(
    'By default, a message fails as delivery_unknown if the connection drops while it is sent. Turn this on to send it again, which can create duplicates.',
  ),
  fallback: false,
});

export const fieldsFor = (channel: Channel): ChannelFields => ({
  name: NAME,
  settings: getFields(channel.settings_schema, '/settings'),
  credentials: getFields(channel.credentials_schema, '/credentials'),
  queue: channel.resend === 'never' ? [QUEUE_TTL, RESEND] : [QUEUE_TTL],
});

/** The values of a form are texts and booleans: metadata is the JSON of its pairs. */
export const textOfPairs = (pairs: readonly MetadataPair[]): string => JSON.stringify(pairs);
export const pairsOfText = (values: FieldValues): MetadataPair[] =>
  JSON.parse(String(values['/metadata'] ?? '[]')) as MetadataPair[];

/** Returns the initial values. @param instance null for a new one */
export const firstValues = (fields: ChannelFields, instance: Instance | null): FieldValues => ({
  ...emptyValues([fields.name, ...fields.settings, ...fields.credentials, ...fields.queue]),
  ...(instance && {
    ...getValues(fields.settings, instance.settings),
    '/name': instance.name,
    '/queue_ttl_seconds': String(instance.queue_ttl_seconds),
    '/resend_unknown': instance.resend_unknown,
  }),
  '/metadata': textOfPairs(toPairs(instance?.metadata)),
});

const getName = (values: FieldValues): string => String(values['/name'] ?? '').trim();

/** @param mask replaces each secret */
export const getParts = (fields: ChannelFields, values: FieldValues, mask?: string) => ({
  settings: getObject(fields.settings, values),
  credentials: getObject(fields.credentials, values, mask),
});

/** Returns the body that creates an instance. */
export function toBody(channel: Channel, values: FieldValues, mask?: string): NewInstance {
  const fields = fieldsFor(channel);
  const metadata = getMetadata(pairsOfText(values));
  const queue = fields.queue.map((field) => ({ ...field, required: false }));
  return {
    name: getName(values),
    channel: channel.id,
    ...getParts(fields, values, mask),
    ...getObject(queue, values),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Whether any credential was entered. Credentials are replaced as a whole. */
export const givesCredentials = (fields: ChannelFields, values: FieldValues): boolean =>
  Object.keys(getObject(fields.credentials, values)).length > 0;

/** Returns the PATCH body: only what differs from the current instance. */
export function toChange(
  channel: Channel,
  instance: Instance,
  values: FieldValues,
  mask?: string,
): InstanceChange {
  const fields = fieldsFor(channel);
  const before = firstValues(fields, instance);
  const { settings, credentials } = getParts(fields, values, mask);
  const wanted = {
    name: getName(values),
    settings,
    ...(givesCredentials(fields, values) && { credentials }),
    queue_ttl_seconds: Number(values['/queue_ttl_seconds']),
    ...(channel.resend === 'never' && { resend_unknown: values['/resend_unknown'] === true }),
    metadata: getMetadata(pairsOfText(values)),
  };
  return changes(wanted, { ...instance, settings: getParts(fields, before).settings });
}

/** Whether a setting changes the server that gets the credentials, so they must be entered again. */
export const movesHost = ({ host_settings }: Channel, before: FieldValues, values: FieldValues): boolean =>
  host_settings.some((pointer) => before[`/settings${pointer}`] !== values[`/settings${pointer}`]);
