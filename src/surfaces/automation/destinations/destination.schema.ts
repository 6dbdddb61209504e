/** Schema of a destination: of a publishing endpoint, and of the rule action `send_message`. */
import Type, { type Static } from 'typebox';
import { Id } from '../../../core/api/id-schema.ts';
import { Nullable, Strict } from '../../../platform/http/schema.ts';
import { MAX_TEMPLATE } from '../../../platform/templates/templates.ts';

export const TemplateText = (description: string, example: string | null, maxLength = MAX_TEMPLATE) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

const OptionalTemplate = (description: string, maxLength = MAX_TEMPLATE) =>
  Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength }), { description, default: null, examples: [null] }),
  );

const MAX_ADDRESS = 2_000;

/** Destination as given in requests. Exactly one of the four recipient fields must be set. */
export const destinationInput = {
  instance_id: Id('instance', 'The instance that sends.'),
  to: OptionalTemplate(
    'The recipient: an address in the format of the channel. A Liquid template.',
    MAX_ADDRESS,
  ),
  contact_id: Type.Optional(Nullable(Id('contact', 'Instead of `to`.'), { default: null })),
  chat_id: Type.Optional(Nullable(Id('chat', 'Instead of `to`.'), { default: null })),
  group_id: Type.Optional(Nullable(Id('group', 'Instead of `to`.'), { default: null })),
  type: Type.Optional(
    TemplateText(
      'The message type, as in `POST /messages`. A Liquid template. Defaults to `text`.',
      'text',
      500,
    ),
  ),
  template: OptionalTemplate(
    "A Liquid template that renders the text, the caption of a file or, for any other type, the content as JSON in the form that `POST /messages` expects under the type's name.",
  ),
  media: OptionalTemplate(
    'For types with a file: a Liquid template that renders an http(s) URL or the ID of a file in the workspace.',
    MAX_ADDRESS,
  ),
  file_name: OptionalTemplate(
    'For types with a file: a Liquid template that renders the file name shown to the recipient.',
    1_000,
  ),
  subject: OptionalTemplate(
    'On channels with threads: a Liquid template that renders the subject of a new thread.',
    2_000,
  ),
  thread_id: OptionalTemplate(
    'On channels with `thread_ids`: a Liquid template that renders the ID of the thread within the chat.',
    2_000,
  ),
};

export const DestinationInput = Strict(destinationInput, { title: 'DestinationInput' });

const shown = (description: string, example: string | null = null) =>
  Nullable(Type.String(), { description, examples: [example] });

/** Destination as returned by the API and stored in the database: omitted fields are null. */
export const destinationFields = {
  instance_id: Id('instance', 'The instance that sends.'),
  to: shown('The recipient: a Liquid template.', 'alice'),
  contact_id: Nullable(Id('contact'), { description: 'Instead of `to`.', examples: [null] }),
  chat_id: Nullable(Id('chat'), { description: 'Instead of `to`.', examples: [null] }),
  group_id: Nullable(Id('group'), { description: 'Instead of `to`.', examples: [null] }),
  type: Type.String({ description: 'Type of the message: a Liquid template.', examples: ['text'] }),
  template: shown('Text, caption, or content as JSON: a Liquid template.', 'New: {{ payload.title }}'),
  media: shown('The file: a Liquid template.'),
  file_name: shown('File name: a Liquid template.'),
  subject: shown('The subject: a Liquid template.'),
  thread_id: shown('The thread within the chat: a Liquid template.'),
};

export const Destination = Type.Object(destinationFields, { title: 'Destination' });

export type DestinationBody = Static<typeof DestinationInput>;
export type DestinationObject = Static<typeof Destination>;
