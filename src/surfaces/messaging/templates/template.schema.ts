/** Message templates as the API shows them. */
import Type, { type Static } from 'typebox';
import { TEMPLATE_COMPONENTS, TEMPLATE_STATES } from '../../../channels/contract/template.ts';
import { Enum, ListQuery, Nullable, Timestamp } from '../../../platform/http/schema.ts';

const State = Enum(TEMPLATE_STATES, {
  description: 'State of the template at the channel. Only `approved` templates can be sent.',
  examples: ['approved'],
});

export const MessageTemplate = Type.Object(
  {
    object: Type.Literal('message_template', {
      description: 'The type of the object.',
      examples: ['message_template'],
    }),
    name: Type.String({ description: 'Name of the template on the channel.', examples: ['order_update'] }),
    language: Type.String({ description: 'Language of the template.', examples: ['en_US'] }),
    category: Nullable(Type.String(), {
      description: 'Category of the template on the channel, which may determine the price.',
      examples: ['utility'],
    }),
    state: State,
    reason: Nullable(Type.String(), {
      description: 'Why the channel has not approved it.',
      examples: [null],
    }),
    components: Type.Array(
      Type.Object(
        {
          kind: Enum(TEMPLATE_COMPONENTS, { description: 'Part of the message.', examples: ['body'] }),
          format: Type.String({
            description: 'Format: `text`, or for headers also `image`, `video`, `document` or `location`.',
            examples: ['text'],
          }),
          text: Nullable(Type.String(), {
            description: 'The text, with the placeholders as the channel writes them.',
            examples: ['Hello {{1}}, your order {{2}} has shipped.'],
          }),
          variables: Type.Integer({ minimum: 0, description: 'Number of variables.', examples: [2] }),
        },
        { title: 'MessageTemplateComponent' },
      ),
      {
        description:
          'Components of the template, in order. `parameters` of a message are the values of their variables, in this order.',
      },
    ),
    updated_at: Timestamp('When the template last changed at the channel, if known.'),
  },
  { title: 'MessageTemplate' },
);

export const TemplateListQuery = ListQuery({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only the template with this name, in all languages.',
      examples: ['order_update'],
    }),
  ),
  state: Type.Optional(State),
});

export type MessageTemplateObject = Static<typeof MessageTemplate>;
