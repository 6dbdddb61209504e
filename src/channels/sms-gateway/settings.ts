/** Settings and credentials of an SMS gateway: how its requests and callbacks are built. */
import Type, { type Static, type TSchema } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import type { Capabilities } from '../contract/capabilities.ts';
import type { Json } from '../contract/json.ts';

const DEFAULT_TEXT = 1600;
const DEFAULT_PER_SECOND = 10;

/** A JSON pointer (`/message/id`), or the name of a form field or query parameter. */
const FieldName = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] });
const words = (description: string, fallback: string[]) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      maxItems: 20,
      default: fallback,
      description,
      examples: [fallback],
    }),
  );
const Names = (maxProperties: number, value: TSchema, options: object) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: value,
    maxProperties,
    ...options,
  });

const HEADER = { type: 'string', maxLength: 500, pattern: '^[\\t\\u0020-\\u007e]*$' };
const WHERE = 'A JSON pointer such as `/message/from`, or the name of a form field or query parameter.';

export const SettingsSchema = Strict({
  url: Type.String({
    format: 'http-url',
    maxLength: 2000,
    description: 'URL of the gateway for sending messages.',
    examples: ['https://gateway.example.com/v1/messages'],
  }),
  method: Type.Optional(
    Enum(['POST', 'PUT', 'GET'], { default: 'POST', description: 'HTTP method.', examples: ['POST'] }),
  ),
  format: Type.Optional(
    Enum(['json', 'form', 'query'], {
      default: 'json',
      description: 'Where `fields` go: a JSON body, a form body, or the query of the URL.',
      examples: ['json'],
    }),
  ),
  fields: Type.Unsafe<Record<string, Json>>({
    type: 'object',
    minProperties: 1,
    maxProperties: 50,
    description:
      'The fields of the request. Texts can contain `{to}`, `{from}`, `{text}`, `{id}` (the ID of the message in Fairlead), `{callback_url}` and `{api_key}`. With `json`, values can be nested.',
    examples: [{ to: '{to}', from: '{from}', body: '{text}', callback: '{callback_url}' }],
  }),
  headers: Type.Optional(
    Names(20, HEADER as unknown as TSchema, {
      propertyNames: { pattern: '^[A-Za-z0-9-]{1,60}$' },
      description: 'Additional request headers. Set `Authorization` in the credentials.',
      examples: [{ 'x-account': 'main' }],
    }),
  ),
  from: Type.String({
    minLength: 1,
    maxLength: 20,
    description: 'The number or name that messages are sent from.',
    examples: ['+15551234567'],
  }),
  message_id: Type.Optional(
    Nullable(Type.String({ maxLength: 200, pattern: '^/' }), {
      description:
        "JSON pointer to the message's ID in the response. Without it, statuses are recognized by `{id}`.",
      examples: ['/messages/0/id'],
    }),
  ),
  check_url: Type.Optional(
    Nullable(Type.String({ format: 'http-url', maxLength: 2000 }), {
      description:
        'A URL that returns a success status if the credentials are valid. Without it, invalid credentials are only noticed when the first message is sent.',
      examples: ['https://gateway.example.com/v1/balance'],
    }),
  ),
  secret_in: Type.Optional(
    Enum(['query', 'header'], {
      default: 'query',
      description: 'Where the gateway sends the callback secret.',
      examples: ['query'],
    }),
  ),
  secret_name: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,60}$',
      default: 'secret',
      description: 'The name of that query parameter or header.',
      examples: ['secret'],
    }),
  ),
  inbound: Type.Optional(
    Nullable(
      Strict({
        id: Type.Optional(
          Nullable(
            FieldName(
              `The message's ID. ${WHERE} Without it, a repeated callback is a second message.`,
              'id',
            ),
          ),
        ),
        from: FieldName('The sender.', 'from'),
        text: FieldName('The text.', 'text'),
      }),
      { description: `Fields of callbacks for inbound messages. ${WHERE}` },
    ),
  ),
  status: Type.Optional(
    Nullable(
      Strict({
        id: FieldName('The ID of the sent message.', 'id'),
        value: FieldName('Its status.', 'status'),
        sent: words('Values that mean sent.', ['sent']),
        delivered: words('Values that mean delivered.', ['delivered', 'DELIVRD']),
        failed: words('Values that mean failed. Others are ignored.', [
          'failed',
          'undelivered',
          'UNDELIV',
          'REJECTD',
          'EXPIRED',
        ]),
      }),
      { description: 'Fields of callbacks for statuses.' },
    ),
  ),
  max_text: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: DEFAULT_TEXT,
      description: 'Maximum characters of a text.',
      examples: [DEFAULT_TEXT],
    }),
  ),
  per_second: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1000,
      default: DEFAULT_PER_SECOND,
      description: 'Messages per second that the gateway accepts.',
      examples: [DEFAULT_PER_SECOND],
    }),
  ),
});

export const CredentialsSchema = Strict({
  authorization: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, pattern: '^[\\u0020-\\u007e]*$', format: 'password' }), {
      description: 'The value of the header `Authorization`, as `Bearer …` or `Basic …`.',
      examples: ['Bearer secret'],
    }),
  ),
  api_key: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, format: 'password' }), {
      description: 'The value of `{api_key}` in `fields`, for gateways that have no header for it.',
      examples: ['secret'],
    }),
  ),
  callback_secret: Type.String({
    minLength: 16,
    maxLength: 200,
    pattern: '^[A-Za-z0-9_-]+$',
    format: 'password',
    description:
      'A secret of your choice that the gateway sends with each callback: 16 or more letters, digits, - and _.',
    examples: ['kX3-qTb70_mPz5Rw'],
  }),
});

export type GatewaySettings = Static<typeof SettingsSchema>;
export const readSettings = (given: Json): GatewaySettings => given as unknown as GatewaySettings;
export const readCredentials = (given: Json): Static<typeof CredentialsSchema> =>
  given as unknown as Static<typeof CredentialsSchema>;

export function readCapabilities(settings: Json): Capabilities {
  const {
    max_text: text = DEFAULT_TEXT,
    per_second: perSecond = DEFAULT_PER_SECOND,
    status,
  } = settings as unknown as Partial<GatewaySettings>;
  return {
    types: { text: { text } },
    operations: status ? ['delivery_receipts'] : [],
    pacing: { perSecond, perChat: null, concurrency: 4 },
    limits: { editWithin: null, revokeWithin: null, groupMembers: null },
  };
}
