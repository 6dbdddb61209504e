/** API schema of a call of a model: the rule action `ask_model`, and `ask_model` of publishing endpoints. */
import Type from 'typebox';
import { Nullable } from '../../../platform/http/schema.ts';
import { TemplateText } from '../destinations/destination.schema.ts';

/** As returned by the API and stored in the database. */
export const modelFields = (prompt: string) => ({
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'ID of the model or model route.',
    examples: ['fairlead/echo'],
  }),
  system: Nullable(Type.String({ minLength: 1, maxLength: 65_536 }), {
    default: null,
    description: 'A Liquid template: the system prompt.',
    examples: ['Answer in one sentence.'],
  }),
  prompt: TemplateText('A Liquid template: the prompt.', prompt),
  max_tokens: Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }), {
    default: null,
    description: 'Maximum number of output tokens.',
    examples: [200],
  }),
});

/** The model input of requests. */
export const modelInput = (prompt: string) => {
  const { model, prompt: text, system, max_tokens } = modelFields(prompt);
  return { model, prompt: text, system: Type.Optional(system), max_tokens: Type.Optional(max_tokens) };
};

/** The error of a model that does not exist; goes with a pointer. */
export const UNKNOWN_MODEL = {
  code: 'model_not_found',
  detail: 'must be the ID of a model from GET /models',
} as const;
