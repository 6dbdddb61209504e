/**
 * The object of each message type, as accepted, returned and stored. Each is strict; omitted fields are stored as null.
 */
import Type, { type TObjectOptions, type TSchema } from 'typebox';
import { Id } from '../../../core/api/id-schema.ts';
import { Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { propertiesWithoutLimits } from '../../../platform/http/without-limits.ts';
import {
  isMediaType,
  MEDIA_TYPES,
  type MediaType,
  type MessageType,
} from '../../../channels/contract/capabilities.ts';

const Body = Type.String({
  minLength: 1,
  maxLength: 65_536,
  pattern: '\\S',
  description: 'The text. Markup is not interpreted.',
  examples: ['Hi Alice, your order is on its way.'],
});
const Caption = Type.String({
  minLength: 1,
  maxLength: 65_536,
  description: 'Caption of the file.',
  examples: ['Our price list'],
});
const FileName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'File name shown to the recipient.',
  examples: ['price-list.pdf'],
});
const MediaId = Id('media', 'ID of a file in this workspace.');
const Short = (description: string, example: string, maxLength = 255) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

/**
 * Returns the schema for stored `fields`: optional ones are null if missing, and none has a limit, because channels may
 * exceed limits.
 */
const kept = (
  required: Record<string, TSchema>,
  optional: Record<string, TSchema>,
  options: TObjectOptions,
): TSchema =>
  Type.Object(
    {
      ...propertiesWithoutLimits(required),
      ...Object.fromEntries(
        Object.entries(propertiesWithoutLimits(optional)).map(([name, schema]) => [
          name,
          Nullable(schema, {
            description: (schema as { description?: string }).description,
            examples: (schema as { examples?: unknown[] }).examples,
          }),
        ]),
      ),
    },
    options,
  );

const given = (required: Record<string, TSchema>, optional: Record<string, TSchema>, options: object) =>
  Strict(
    {
      ...required,
      ...Object.fromEntries(
        Object.entries(optional).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
      ),
    },
    options,
  );

const LOCATION = [
  {
    latitude: Type.Number({
      minimum: -90,
      maximum: 90,
      description: 'Latitude in degrees.',
      examples: [52.52],
    }),
    longitude: Type.Number({
      minimum: -180,
      maximum: 180,
      description: 'Longitude in degrees.',
      examples: [13.405],
    }),
  },
  {
    name: Short('Name of the place.', 'Our shop'),
    address: Short('Address of the place.', 'Unter den Linden 1, Berlin', 1000),
  },
] as const;

const Strings = (description: string, item: string, maxItems = 20) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 320 }), { maxItems, description, examples: [[item]] });
const CARD = [
  { name: Short('Name of the person.', 'Alice Example') },
  {
    phones: Strings('Telephone numbers.', '+49301234567'),
    emails: Strings('Email addresses.', 'alice@example.com'),
    organization: Short('Company of the person.', 'Example Ltd'),
  },
] as const;
const CARDS = { description: 'Contact cards.' };

const POLL = [
  {
    question: Short('The question.', 'When shall we meet?', 300),
    options: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 2,
      maxItems: 12,
      uniqueItems: true,
      description: 'The options to choose from.',
      examples: [['Monday', 'Tuesday']],
    }),
  },
  {
    multiple: Type.Boolean({ description: 'Whether more than one option can be chosen.', examples: [false] }),
  },
] as const;

const REACTION = [
  {
    message_id: Id('message', 'ID of the message to react to.'),
    emoji: Type.String({ minLength: 1, maxLength: 32, description: 'One emoji.', examples: ['👍'] }),
  },
  {},
] as const;

const TEMPLATE = [
  { name: Short('Name of the template on the channel.', 'order_update') },
  {
    language: Short('Language of the template.', 'en', 20),
    parameters: Type.Array(Type.String({ maxLength: 1024 }), {
      maxItems: 50,
      description: 'Values of the placeholders, in order.',
      examples: [['Alice', '2026-01-15']],
    }),
  },
] as const;

const Choice = Strict(
  {
    id: Short('ID of the choice, returned in the reply.', 'yes', 256),
    title: Short('The displayed text.', 'Yes, please', 100),
    form_id: Type.Optional(
      Short(
        'ID of the form at the channel that the choice opens, on channels with the capability `forms`. It must be the only choice.',
        '1034567890123456',
      ),
    ),
  },
  {},
);
const INTERACTIVE = [
  {
    body: Short('The message text.', 'Shall we deliver tomorrow?', 4096),
    choices: Type.Array(Choice, { minItems: 1, maxItems: 10, description: 'The choices.' }),
  },
  {
    header: Short('The header.', 'Delivery', 100),
    footer: Short('The footer.', 'Example Ltd', 100),
  },
] as const;

const EVENT = [
  {
    name: Short('Name of the event.', 'Opening night'),
    start_at: Timestamp('When the event starts.'),
  },
  {
    end_at: Timestamp('When the event ends.'),
    location: Short('Location of the event.', 'Our shop', 1000),
    description: Short('Description of the event.', 'There will be music.', 4096),
  },
] as const;

const file = { caption: Caption, file_name: FileName };
interface Content {
  /** As callers give it. */
  input: TSchema;
  /** The schema of the stored and shown form. */
  shown: TSchema;
}

const fileContent = (type: MediaType): Content => ({
  input: Strict(
    {
      media_id: Type.Optional(MediaId),
      url: Type.Optional(
        Type.String({
          format: 'http-url',
          maxLength: 2000,
          description: 'URL to download the file from, after the response. Use either `media_id` or `url`.',
          examples: ['https://example.com/price-list.pdf'],
        }),
      ),
      caption: Type.Optional(Nullable(Caption)),
      file_name: Type.Optional(Nullable(FileName)),
    },
    {
      description: `The file of a message of type \`${type}\`: either \`media_id\` or \`url\`.`,
      examples: [{ media_id: 'med_01h2xcejqtf2nbrexx3vqjhp41' }],
    },
  ),
  shown: kept(
    {},
    { media_id: MediaId, ...file },
    {
      description: `The file of a message of type \`${type}\`. \`media_id\` is null if the file was deleted.`,
    },
  ),
});

const pair = (
  fields: readonly [Record<string, TSchema>, Record<string, TSchema>],
  description: string,
): Content => ({
  input: given(...fields, { description }),
  shown: kept(...fields, { description }),
});

/** Type → schema of its object in requests and in answers. */
export const CONTENT: Record<MessageType, Content> = {
  text: pair([{ body: Body }, {}], 'Text.'),
  ...(Object.fromEntries(MEDIA_TYPES.map((type) => [type, fileContent(type)])) as Record<MediaType, Content>),
  location: pair(LOCATION, 'A location.'),
  contacts: {
    input: Type.Array(given(...CARD, {}), { minItems: 1, maxItems: 20, ...CARDS }),
    shown: Type.Array(kept(...CARD, {}), CARDS),
  },
  poll: pair(POLL, 'A poll.'),
  reaction: pair(REACTION, 'A reaction to a message: the same as `PUT /messages/{id}/reaction`.'),
  template: pair(TEMPLATE, 'A template that the channel has approved.'),
  interactive: pair(INTERACTIVE, 'A text with choices.'),
  event: pair(EVENT, 'An invitation to an event.'),
};

/** The stored object (an array for contacts) under the type's name. */
export type StoredContent = Record<string, unknown> | Record<string, unknown>[];

/** The given fields, with null for omitted ones. */
export function normalizeContent(type: MessageType, input: unknown): StoredContent {
  const fill = (schema: TSchema, value: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.keys((schema as unknown as { properties: object }).properties).map((name) => [
        name,
        value[name] ?? null,
      ]),
    );
  const { shown } = CONTENT[type];
  const items = (shown as unknown as { items?: TSchema }).items;
  return items
    ? (input as Record<string, unknown>[]).map((item) => fill(items, item))
    : fill(shown, input as Record<string, unknown>);
}

/** Body or caption: the text that the channel's limit applies to and that an edit changes; null if there is none. */
export function toText(type: string, content: unknown): string | null {
  const { body, caption } = content as { body?: string | null; caption?: string | null };
  if (type === 'text' || type === 'interactive') return body ?? null;
  return isMediaType(type) ? (caption ?? null) : null;
}

/** Whether a choice opens a form of the channel. */
export const hasForm = (content: unknown): boolean =>
  ((content as { choices?: { form_id?: string }[] }).choices ?? []).some((one) => one.form_id !== undefined);

const MAX_SEARCHED = 20_000;

/** Returns the searchable text of a message: texts, names, questions. Bounded; null if there is none. */
export function searchTextFor(type: string, content: unknown, subject: string | null = null): string | null {
  const { name, address, question, options, file_name: fileName } = content as Record<string, unknown>;
  const names = Array.isArray(content) ? content.map((card: { name?: unknown }) => card.name) : [];
  const parts = [
    subject,
    toText(type, content),
    fileName,
    name,
    address,
    question,
    ...[options].flat(),
    ...names,
  ];
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join('\n');
  return text === '' ? null : text.slice(0, MAX_SEARCHED).toWellFormed();
}
