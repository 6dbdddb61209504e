/** Schemas of `POST /publish/{id}`: bodies of several content types and any query parameters. */
import Type from 'typebox';
import type { AnyBody } from '../../../../core/api/operation.ts';
import { readBody } from '../../../../platform/http/read-body.ts';
import { MAX_BODY, readPayload, type ReceivedBody } from './payload.ts';

const Fields = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });
const FORM = { title: 'Hello' };

export const publishBody: AnyBody<ReceivedBody> = {
  content: {
    'application/json': {
      schema: Type.Unsafe<unknown>({ description: 'Any JSON. Templates see it as `payload`.' }),
      example: { title: 'Hello', url: 'https://example.com/posts/1' },
    },
    'application/x-www-form-urlencoded': {
      schema: Fields(
        'The fields are the payload. If the only field is named `payload` and contains JSON, that JSON is the payload.',
      ),
      example: FORM,
    },
    'multipart/form-data': {
      schema: Fields(
        'The fields are the payload. A file is represented by its `file_name`, `mime_type`, `size` and `sha256`; its content is not stored.',
      ),
      example: FORM,
    },
    'text/plain': {
      schema: Type.String({
        description: 'A JSON object is the payload. For any other text, the payload is `{"text": …}`.',
      }),
      example: 'Hello',
    },
  },
  read: async (request) => readPayload(request.headers, await readBody(request, MAX_BODY, null)),
};

/** Available to templates as `query`. */
export const AnyQuery = Type.Object({}, { additionalProperties: true });
