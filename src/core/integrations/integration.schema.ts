/** Files for other tools, as the API lists them. */
import Type, { type Static } from 'typebox';
import { CommaList, Enum, Strict } from '../../platform/http/schema.ts';

export const INTEGRATION_IDS = ['node_red', 'n8n', 'postman'] as const;
export type IntegrationId = (typeof INTEGRATION_IDS)[number];

export const Integration = Type.Object(
  {
    id: Enum(INTEGRATION_IDS, { description: 'Name of the file; stable.', examples: ['node_red'] }),
    object: Type.Literal('integration', {
      description: 'The type of the object.',
      examples: ['integration'],
    }),
    name: Type.String({ description: 'Display name.', examples: ['Node-RED flow'] }),
    tools: Type.Array(Type.String(), {
      description: 'Tools that can import the file.',
      examples: [['Node-RED']],
    }),
    description: Type.String({
      description: 'What the file contains.',
      examples: ['A webhook that is verified.'],
    }),
    file_name: Type.String({ description: 'File name to save it as.', examples: ['fairlead-node-red.json'] }),
    steps: Type.Array(Type.String(), {
      description: 'How to import it and what to fill in.',
      examples: [['Import it from the menu.']],
    }),
  },
  { title: 'Integration' },
);

/** Of another tool's making, so that its names are not ours. */
export const IntegrationFile = Type.Unsafe<unknown>({
  description: 'The file, in the format of the tool.',
  examples: [[{ id: '37f5fbea3a5c1a4c', type: 'tab', label: 'Fairlead' }]],
});

export const IntegrationParams = Strict({
  id: Type.String({ maxLength: 100, description: 'Name of the file.', examples: ['node_red'] }),
});

export const IntegrationQuery = Strict({
  events: Type.Optional(
    CommaList(
      'For flows: up to 50 event types that get their own branch. `message.*` means all types that start with `message.`. Defaults to common types.',
      { maxLength: 2000, examples: ['message.received,publication.published'] },
    ),
  ),
});

export type IntegrationObject = Static<typeof Integration>;
