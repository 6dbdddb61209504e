/**
 * Definition of an endpoint: the content, destinations and schedule of its messages. Builds it from requests and
 * validates its form.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../../platform/http/problem.ts';
import { getZone } from '../../../platform/time/zone.ts';
import type { DestinationBody, DestinationObject } from '../destinations/destination.schema.ts';
import { validateDestination } from '../destinations/destination-form.ts';
import { getDestinationTemplates } from '../destinations/destination-templates.ts';
import type { Template } from '../../../platform/templates/templates.ts';
import type { CreatePublishingEndpointBody, Definition } from './publishing-endpoint.schema.ts';

/** The body fields that form a definition; omitted fields are undefined. */
export type DefinitionBody = Pick<
  Partial<CreatePublishingEndpointBody>,
  'destinations' | 'ask_model' | 'filter' | 'dedupe_key' | 'schedule' | 'shorten_links' | 'allow_partial'
>;

const DEFINITION_FIELDS = [
  'destinations',
  'ask_model',
  'filter',
  'dedupe_key',
  'schedule',
  'shorten_links',
  'allow_partial',
] as const satisfies readonly (keyof Definition)[];

const DEFAULTS: Definition = {
  destinations: [],
  ask_model: null,
  filter: null,
  dedupe_key: null,
  schedule: null,
  shorten_links: false,
  allow_partial: false,
};

const DEFAULT_TYPE = 'text';

const toDestination = (given: DestinationBody): DestinationObject => ({
  instance_id: given.instance_id,
  to: given.to ?? null,
  contact_id: given.contact_id ?? null,
  chat_id: given.chat_id ?? null,
  group_id: given.group_id ?? null,
  type: given.type ?? DEFAULT_TYPE,
  template: given.template ?? null,
  media: given.media ?? null,
  file_name: given.file_name ?? null,
  subject: given.subject ?? null,
  thread_id: given.thread_id ?? null,
});

const toQuestion = (given: NonNullable<DefinitionBody['ask_model']>): Definition['ask_model'] => ({
  model: given.model,
  prompt: given.prompt,
  system: given.system ?? null,
  max_tokens: given.max_tokens ?? null,
});

function toSchedule(given: NonNullable<DefinitionBody['schedule']>): Definition['schedule'] {
  const schedule = {
    at: given.at ?? null,
    delay_seconds: given.delay_seconds ?? 0,
    quiet_hours: given.quiet_hours ?? null,
  };
  const saysNothing = schedule.at === null && schedule.delay_seconds === 0 && schedule.quiet_hours === null;
  return saysNothing ? null : schedule;
}

/**
 * Builds a definition.
 * @param before values for omitted fields
 */
export function toDefinition(body: DefinitionBody, before: Definition = DEFAULTS): Definition {
  const { destinations, schedule, ask_model: question } = body;
  return {
    destinations: destinations ? destinations.map(toDestination) : before.destinations,
    ask_model: question === undefined ? before.ask_model : question && toQuestion(question),
    filter: body.filter === undefined ? before.filter : body.filter,
    dedupe_key: body.dedupe_key === undefined ? before.dedupe_key : body.dedupe_key,
    schedule: schedule === undefined ? before.schedule : schedule && toSchedule(schedule),
    shorten_links: body.shorten_links ?? before.shorten_links,
    allow_partial: body.allow_partial ?? before.allow_partial,
  };
}

/** Reads a stored definition; those of earlier versions ask no model. */
export function readDefinition(stored: unknown): Definition {
  const definition = { ...DEFAULTS, ...(stored as Definition) };
  const destinations = definition.destinations.map((one) => ({ ...one, thread_id: one.thread_id ?? null }));
  return { ...definition, destinations };
}

/** Returns whether two definitions are equal. */
export const isSameDefinition = (one: Definition, other: Definition): boolean =>
  DEFINITION_FIELDS.every((field) => isDeepStrictEqual(one[field], other[field]));

/** Returns the public IDs of the instances of all destinations, without duplicates. */
export const getInstanceIds = ({ destinations }: Definition): string[] => [
  ...new Set(destinations.map(({ instance_id: id }) => id)),
];

/**
 * Validates the form of a definition, without its templates.
 * @param types all message types
 */
export function validateForm({ destinations, schedule }: Definition, types: readonly string[]): FieldError[] {
  const fieldErrors = destinations.flatMap((destination, nth) =>
    validateDestination(destination, types, `/destinations/${nth}`),
  );
  const quiet = schedule?.quiet_hours;
  if (quiet && !getZone(quiet.time_zone))
    fieldErrors.push({
      pointer: '/schedule/quiet_hours/time_zone',
      code: 'invalid_time_zone',
      detail: 'must be an IANA time zone name, such as Europe/Berlin',
    });
  if (quiet && quiet.from === quiet.to)
    fieldErrors.push({
      pointer: '/schedule/quiet_hours/to',
      code: 'out_of_range',
      detail: 'must differ from `from`: otherwise nothing would be published',
    });
  return fieldErrors;
}

/** Returns all templates of a definition with their pointers. */
export function getDefinitionTemplates(definition: Definition): { pointer: string; template: Template }[] {
  const { destinations, ask_model: question, filter, dedupe_key: dedupeKey, schedule } = definition;
  const found = destinations.flatMap((destination, nth) =>
    getDestinationTemplates(destination).map(({ field, template }) => ({
      pointer: `/destinations/${nth}/${field}`,
      template,
    })),
  );
  const add = (pointer: string, kind: Template['kind'], source: string | null | undefined): void => {
    if (typeof source === 'string') found.push({ pointer, template: { kind, source } });
  };
  add('/ask_model/system', 'text', question?.system);
  add('/ask_model/prompt', 'text', question?.prompt);
  add('/filter', 'condition', filter);
  add('/dedupe_key', 'text', dedupeKey);
  add('/schedule/at', 'text', schedule?.at);
  return found;
}
