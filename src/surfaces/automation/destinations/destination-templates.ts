/** Lists the template fields of a destination and the kind of output that each renders. */
import type { DestinationObject } from './destination.schema.ts';
import type { Template } from '../../../platform/templates/templates.ts';

/** Types whose content is text or a file: their `template` renders text. For all others it renders JSON. */
const FILE_TYPES: readonly string[] = ['image', 'video', 'audio', 'voice', 'document', 'sticker'];

export const isFileType = (type: string): boolean => FILE_TYPES.includes(type);
const isTextual = (type: string): boolean => type === 'text' || isFileType(type);

/** Returns whether a text contains Liquid tags. */
export const isDynamic = (source: string): boolean => source.includes('{{') || source.includes('{%');

export const TEMPLATE_FIELDS = [
  'to',
  'type',
  'template',
  'media',
  'file_name',
  'subject',
  'thread_id',
] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];

export interface DestinationTemplate {
  field: TemplateField;
  template: Template;
}

/**
 * Returns the non-null templates of a destination. `template` is included twice, as `text` and as `json`, if its type
 * is known only after rendering.
 */
export function getDestinationTemplates(destination: DestinationObject): DestinationTemplate[] {
  return TEMPLATE_FIELDS.flatMap((field): DestinationTemplate[] => {
    // Destinations stored by earlier versions have no thread.
    const source = destination[field] ?? null;
    if (source === null) return [];
    if (field !== 'template') return [{ field, template: { kind: 'text', source } }];
    const { type } = destination;
    const kinds = isDynamic(type)
      ? (['text', 'json'] as const)
      : ([isTextual(type) ? 'text' : 'json'] as const);
    return kinds.map((kind) => ({ field, template: { kind, source } }));
  });
}
