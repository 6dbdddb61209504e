/** Requests of the request log as the API shows them. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../platform/http/pattern-words.ts';
import { createdFilters, Enum, ListQuery, Nullable, Timestamp } from '../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../api/id-schema.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const ACTOR_TYPES = ['api_key', 'user'] as const;

export const ApiRequest = Type.Object(
  {
    ...objectFields('request', 'request'),
    method: Type.String({ description: 'The HTTP method.', examples: ['POST'] }),
    operation: Type.String({
      description: 'The operation, as its `operationId` in the API description.',
      examples: ['messages.create'],
    }),
    route: Type.String({
      description: 'The path of the operation below `/api/v1`, with parameters in braces.',
      examples: ['/messages/{id}'],
    }),
    status: Type.Integer({
      description:
        'The HTTP status of the response, also if the client closed the connection before its end; 499 if the client left before it began.',
      examples: [202],
    }),
    error_code: Nullable(Type.String(), {
      description: 'The `code` of the error; null for a success.',
      examples: [null],
    }),
    actor: Type.Object(
      {
        type: Enum(ACTOR_TYPES, {
          description: '`api_key`, or `user` for a person in the console.',
          examples: ['api_key'],
        }),
        id: Type.String({
          description: 'ID of the API key or person.',
          examples: [exampleId('api_key')],
        }),
        name: Type.String({
          description: 'Name of the API key or person at that time.',
          examples: ['Production'],
        }),
      },
      { description: 'The API key or person that sent the request.' },
    ),
    address: Type.String({
      description: 'The IP address that the request came from.',
      examples: ['203.0.113.7'],
    }),
    duration_ms: Type.Integer({
      description:
        'Time until the response was sent, in milliseconds. For a stream, the time that it was open.',
      examples: [12],
    }),
    created_at: Timestamp('When the request arrived.'),
  },
  { title: 'Request' },
);

const Text = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000]*$',
      description,
      examples: [example],
    }),
  );

export const ApiRequestList = ListQuery({
  status: Type.Optional(
    Type.String({
      pattern: inWords('^[1-5]([0-9]{2}|xx)$', 'must be a status or a class of them'),
      description: 'Only requests with this status, such as `404`, or a class of them, such as `4xx`.',
      examples: ['4xx'],
    }),
  ),
  errors: Type.Optional(
    Type.Boolean({
      description: 'Only requests that failed (status 400 or higher), or only those that did not.',
      examples: [true],
    }),
  ),
  method: Type.Optional(
    Enum(METHODS, { description: 'Only requests with this method.', examples: ['POST'] }),
  ),
  operation: Text('Only requests to this operation.', 'messages.create'),
  actor_type: Type.Optional(
    Enum(ACTOR_TYPES, {
      description: 'Only requests of API keys, or only those of people in the console.',
      examples: ['api_key'],
    }),
  ),
  api_key_id: Type.Optional(Id('api_key', 'Only requests of this API key.')),
  user_id: Type.Optional(Id('user', 'Only requests of this person.')),
  error_code: Text('Only requests that failed with this error code.', 'invalid_request'),
  address: Text('Only requests from this IP address.', '203.0.113.7'),
  ...createdFilters,
});

export type ApiRequestObject = Static<typeof ApiRequest>;
export type ApiRequestFilters = Static<typeof ApiRequestList>;
