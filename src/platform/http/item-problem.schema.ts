/** Why one item of a call on many was refused: a problem as it alone would be answered. */
import Type from 'typebox';

export const BatchProblem = Type.Object(
  {
    type: Type.String({
      description: 'The documentation of the error.',
      examples: ['https://fairlead.example/docs/errors#invalid_request'],
    }),
    title: Type.String({
      description: 'A short description of the error code.',
      examples: ['Invalid request'],
    }),
    status: Type.Integer({
      description: 'HTTP status that a single request would return.',
      examples: [400],
    }),
    code: Type.String({ description: 'Stable code.', examples: ['invalid_request'] }),
    detail: Type.String({ description: 'Code of the field error.', examples: ['1 field is wrong'] }),
    request_id: Type.String({
      description: 'ID of the request.',
      examples: ['req_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'A JSON pointer into the item.', examples: ['/url'] }),
          code: Type.String({ description: 'Stable code.', examples: ['invalid_url'] }),
          detail: Type.String({
            description: 'Code of the field error.',
            examples: ['must be http or https'],
          }),
        }),
        { description: 'All invalid fields.' },
      ),
    ),
  },
  { title: 'BatchProblem' },
);
