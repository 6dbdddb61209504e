/**
 * Converts the rendered templates of a destination into a message in the form of `POST /messages`. Pure: renders
 * nothing.
 */
import type { FieldError, Problem } from '../../../platform/http/problem.ts';
import { tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import type { DestinationObject } from './destination.schema.ts';
import type { MessageBody } from '../ports/ports.ts';
import { type Rendered, RENDERED_BOUNDS } from '../../../platform/templates/templates.ts';
import { isFileType, type TemplateField, getDestinationTemplates } from './destination-templates.ts';

/** Pointers are relative to the destination: `/template`. */
export type DestinationOutcome =
  | { body: MessageBody; fieldErrors: null }
  | { body: null; fieldErrors: FieldError[] };

interface Made {
  /** Trimmed, except `template`. */
  texts: Map<TemplateField, string>;
  /** `template` rendered as JSON. */
  json: Rendered | null;
  fieldErrors: FieldError[];
}

const MEDIA_ID = /^med_[0-9a-z]{26}$/;

export const empty = (pointer: string): FieldError => ({
  pointer,
  code: 'template_empty',
  detail: 'the template rendered no text',
});

/**
 * Maps each field to its rendered template. `template` may be rendered both as text and as JSON; the type decides which
 * applies.
 */
function made(destination: DestinationObject, rendered: readonly Rendered[]): Made {
  const texts = new Map<TemplateField, string>();
  const fieldErrors: FieldError[] = [];
  let text: Rendered | null = null;
  let json: Rendered | null = null;
  const failed = (field: TemplateField, { fault }: Rendered): void => {
    if (fault) fieldErrors.push({ pointer: `/${field}`, code: fault.code, detail: fault.detail });
  };
  for (const [nth, { field, template }] of getDestinationTemplates(destination).entries()) {
    const one = rendered[nth]!;
    if (field === 'template') {
      if (template.kind === 'text') text = one;
      else json = one;
    } else if (one.fault) failed(field, one);
    else texts.set(field, one.text.trim());
  }
  const type = texts.get('type') ?? '';
  const counts = type === 'text' || isFileType(type) ? text : json;
  if (counts?.fault) failed('template', counts);
  else if (text && counts === text) texts.set('template', text.text);
  return { texts, json: counts === json ? json : null, fieldErrors };
}

function buildContent(type: string, { texts, json, fieldErrors }: Made): Record<string, unknown> | null {
  const template = texts.get('template') ?? '';
  if (type === 'text') {
    if (template.trim() === '') fieldErrors.push(empty('/template'));
    return { body: template };
  }
  if (isFileType(type)) {
    const media = texts.get('media') ?? '';
    const name = texts.get('file_name') ?? '';
    if (media === '') fieldErrors.push(empty('/media'));
    return {
      ...(MEDIA_ID.test(media) ? { media_id: media } : { url: media }),
      ...(template.trim() === '' ? {} : { caption: template }),
      ...(name === '' ? {} : { file_name: name }),
    };
  }
  const content = tryParseForeignJson(json?.text ?? '', RENDERED_BOUNDS);
  if (typeof content === 'object' && content !== null && !Array.isArray(content))
    return content as Record<string, unknown>;
  fieldErrors.push({
    pointer: '/template',
    code: 'template_failed',
    detail: `must render a JSON object: the content of a message of type ${type}`,
  });
  return null;
}

/**
 * Builds the message of a destination.
 * @param rendered results of `getTemplates(destination)`, in the same order
 * @param shortenLinks whether URLs in the text become short links
 */
export function destinationBody(
  destination: DestinationObject,
  rendered: readonly Rendered[],
  shortenLinks = false,
): DestinationOutcome {
  const parts = made(destination, rendered);
  const { texts, fieldErrors } = parts;
  if (fieldErrors.length) return { body: null, fieldErrors };
  const type = texts.get('type') ?? '';
  if (type === '') return { body: null, fieldErrors: [empty('/type')] };
  const to = texts.get('to') ?? '';
  if (destination.to !== null && to === '') fieldErrors.push(empty('/to'));
  const content = buildContent(type, parts);
  if (fieldErrors.length) return { body: null, fieldErrors };
  const subject = texts.get('subject') ?? '';
  const threadId = texts.get('thread_id') ?? '';
  const { contact_id: contactId, chat_id: chatId, group_id: groupId } = destination;
  const body: MessageBody = {
    instance_id: destination.instance_id,
    ...(destination.to === null ? {} : { to }),
    ...(contactId === null ? {} : { contact_id: contactId }),
    ...(chatId === null ? {} : { chat_id: chatId }),
    ...(groupId === null ? {} : { group_id: groupId }),
    type,
    [type]: content,
    ...(subject === '' ? {} : { subject }),
    ...(threadId === '' ? {} : { thread_id: threadId }),
    ...(shortenLinks ? { shorten_links: true } : {}),
  };
  return { body, fieldErrors: null };
}

const SAME = new Set([
  'instance_id',
  'to',
  'contact_id',
  'chat_id',
  'group_id',
  'type',
  'subject',
  'thread_id',
]);

/** Returns the destination field that produces the given pointer of a message. */
function fieldAt(pointer: string): string {
  const [, first = '', second = ''] = pointer.split('/');
  if (SAME.has(first)) return `/${first}`;
  if (first === '') return '';
  if (second === 'url' || second === 'media_id') return '/media';
  return second === 'file_name' ? '/file_name' : '/template';
}

/** Converts a rejection of a message into field errors with pointers into its destination. */
export const toFieldErrors = ({ code, message, errors }: Problem): FieldError[] =>
  errors.length
    ? errors.map((fieldError) => ({ ...fieldError, pointer: fieldAt(fieldError.pointer) }))
    : [{ pointer: '/instance_id', code, detail: message }];
