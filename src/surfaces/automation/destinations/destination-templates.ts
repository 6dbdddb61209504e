/** Which of a destination's fields are templates, and what kind of text each of them makes. */
import type { DestinationObject } from '../destination.schema.ts';
import type { Template } from '../../../platform/templates/templates.ts';

/** Types whose content is a text or a file: `template` makes a text for them, for all others JSON. */
const FILE_TYPES: readonly string[] = ['image', 'video', 'audio', 'voice', 'document', 'sticker'];

export const isFileType = (type: string): boolean => FILE_TYPES.includes(type);
const isTextual = (type: string): boolean => type === 'text' || isFileType(type);

/** Whether a text says something else than itself when it is rendered. */
export const isDynamic = (source: string): boolean => source.includes('{{') || source.includes('{%');

export const TEMPLATE_FIELDS = ['to', 'type', 'template', 'media', 'file_name', 'subject'] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];

export interface DestinationTemplate {
  field: TemplateField;
  template: Template;
}

/**
 * The templates of a destination, those that are null left out. `template` stands there twice, as `text` and as `json`,
 * where only rendering tells which type it is for.
 */
export function templatesOf(destination: DestinationObject): DestinationTemplate[] {
  return TEMPLATE_FIELDS.flatMap((field): DestinationTemplate[] => {
    const source = destination[field];
    if (source === null) return [];
    if (field !== 'template') return [{ field, template: { kind: 'text', source } }];
    const { type } = destination;
    const kinds = isDynamic(type)
      ? (['text', 'json'] as const)
      : ([isTextual(type) ? 'text' : 'json'] as const);
    return kinds.map((kind) => ({ field, template: { kind, source } }));
  });
}
