/** Checks template messages against the templates that the channel lists, before they are queued. */
import type { TemplateComponent } from '../../../channels/contract/template.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { TemplateRow } from './template.store.ts';

export interface TemplateContent {
  name: string;
  language: string | null;
  parameters: string[] | null;
}

/** Returns the number of values that a template needs. */
const countVariables = (row: TemplateRow): number =>
  (row.components as unknown as TemplateComponent[]).reduce((sum, { variables }) => sum + variables, 0);

/**
 * Returns the template that a message names, or why it cannot be sent.
 * @param found the templates of this name, in all languages
 */
export function checkTemplate(
  { name, language, parameters }: TemplateContent,
  found: readonly TemplateRow[],
): { template: TemplateRow } | { error: FieldError } {
  const fail = (field: string, code: string, detail: string) => ({
    error: { pointer: `/template/${field}`, code, detail },
  });
  if (!found.length) return fail('name', 'unknown_template', `the channel has no template named ${name}`);
  const languages = found.map((one) => one.language).toSorted();
  const template =
    language === null && found.length === 1 ? found[0] : found.find((one) => one.language === language);
  if (!template)
    return fail(
      'language',
      language === null ? 'required' : 'unknown_template',
      `must be one of the languages of this template: ${languages.join(', ')}`,
    );
  if (template.state !== 'approved') {
    const because = template.reason === null ? '' : ` (${template.reason})`;
    return fail('name', 'template_not_approved', `the template is ${template.state}${because}`);
  }
  const [needed, given] = [countVariables(template), parameters?.length ?? 0];
  if (needed !== given)
    return fail('parameters', 'wrong_parameter_count', `must have ${needed} values, and has ${given}`);
  return { template };
}
