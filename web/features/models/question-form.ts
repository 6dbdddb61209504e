/** The values of a question for a model, in rules and publishing endpoints. */

export interface QuestionForm {
  model: string;
  system: string;
  prompt: string;
  /** As typed; empty for the model's default. */
  max_tokens: string;
}

/** As the API shows it. */
interface Question {
  model: string;
  system: string | null;
  prompt: string;
  max_tokens: number | null;
}

export const emptyQuestion = (): QuestionForm => ({ model: '', system: '', prompt: '', max_tokens: '' });

export const toQuestionForm = ({ model, system, prompt, max_tokens: most }: Question): QuestionForm => ({
  model,
  system: system ?? '',
  prompt,
  max_tokens: most === null ? '' : String(most),
});

/** All fields, as the API shows them. */
export const toQuestion = (form: QuestionForm): Question => ({
  model: form.model,
  system: form.system.trim() === '' ? null : form.system,
  prompt: form.prompt,
  max_tokens: form.max_tokens.trim() === '' ? null : Number(form.max_tokens),
});
