/** Why one item of a call on many was refused: a problem as it alone would be answered. */
import Type from 'typebox';

export const BatchProblem = Type.Object(
  {
    type: Type.String({
      description: 'Page of the error in the documentation.',
      examples: ['https://fairlead.example/docs/errors#invalid_request'],
    }),
    title: Type.String({ description: 'The error, short.', examples: ['Invalid request'] }),
    status: Type.Integer({
      description: 'The status that it alone would be answered with.',
      examples: [400],
    }),
    code: Type.String({ description: 'Stable code.', examples: ['invalid_request'] }),
    detail: Type.String({ description: 'What is wrong.', examples: ['1 field is wrong'] }),
    request_id: Type.String({
      description: 'Id of the request.',
      examples: ['req_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'Where, within the item.', examples: ['/url'] }),
          code: Type.String({ description: 'Stable code.', examples: ['invalid_url'] }),
          detail: Type.String({ description: 'What is wrong.', examples: ['must be http or https'] }),
        }),
        { description: 'Every fault.' },
      ),
    ),
  },
  { title: 'BatchProblem' },
);
