/** The forms of structured messages: their fields, and the content built from them. */
import { t } from '../../copy/text.ts';
import type { NewMessage } from '../../api/messages.ts';
import type { Capabilities, Chat } from '../../api/types.ts';
import type { ThreadId } from './threads.ts';

export const CONTENT_TYPES = [
  'location',
  'contacts',
  'poll',
  'template',
  'interactive',
  'event',
] as const satisfies readonly NewMessage['type'][];
export type ContentType = (typeof CONTENT_TYPES)[number];

/** Returns the types that the channel supports. */
export const getContentTypes = ({ types }: Capabilities): ContentType[] =>
  CONTENT_TYPES.filter((type) => types[type] !== undefined);

export interface ContentField {
  name: string;
  label: string;
  kind: 'text' | 'number' | 'area' | 'lines' | 'time' | 'switch';
  required?: true;
  hint?: string;
  placeholder?: string;
  /** The operation of the channel that the field needs. */
  needs?: Capabilities['operations'][number];
}

const onePerLine = t('One per line.');

export const CONTENT_FIELDS: Record<ContentType, readonly ContentField[]> = {
  location: [
    { name: 'latitude', label: t('Latitude'), kind: 'number', required: true, placeholder: '52.52' },
    { name: 'longitude', label: t('Longitude'), kind: 'number', required: true, placeholder: '13.405' },
    { name: 'name', label: t('Name'), kind: 'text' },
    { name: 'address', label: t('Address'), kind: 'text' },
  ],
  contacts: [
    { name: 'name', label: t('Name'), kind: 'text', required: true },
    { name: 'phones', label: t('Phone numbers'), kind: 'lines', hint: onePerLine },
    { name: 'emails', label: t('Email addresses'), kind: 'lines', hint: onePerLine },
    { name: 'organization', label: t('Company'), kind: 'text' },
  ],
  poll: [
    { name: 'question', label: t('Question'), kind: 'text', required: true },
    {
      name: 'options',
      label: t('Answers'),
      kind: 'lines',
      required: true,
      hint: t('2 to 12, one per line.'),
    },
    { name: 'multiple', label: t('Allow multiple answers'), kind: 'switch' },
  ],
  template: [
    {
      name: 'name',
      label: t('Template'),
      kind: 'text',
      required: true,
      hint: t('The name of a template that the channel has approved.'),
      placeholder: 'order_update',
    },
    { name: 'language', label: t('Language'), kind: 'text', placeholder: 'en' },
    {
      name: 'parameters',
      label: t('Parameters'),
      kind: 'lines',
      hint: t('Values of the placeholders in order, one per line.'),
    },
  ],
  interactive: [
    { name: 'header', label: t('Header'), kind: 'text' },
    { name: 'body', label: t('Text'), kind: 'area', required: true },
    {
      name: 'choices',
      label: t('Choices'),
      kind: 'lines',
      required: true,
      hint: t('Up to 10, one per line.'),
    },
    {
      name: 'form_id',
      label: t('Form ID'),
      kind: 'text',
      hint: t('Opens this form of the channel. Enter one choice: the text of its button.'),
      placeholder: '1034567890123456',
      needs: 'forms',
    },
    { name: 'footer', label: t('Footer'), kind: 'text' },
  ],
  event: [
    { name: 'name', label: t('Name'), kind: 'text', required: true },
    { name: 'start_at', label: t('Starts'), kind: 'time', required: true },
    { name: 'end_at', label: t('Ends'), kind: 'time' },
    { name: 'location', label: t('Location'), kind: 'text' },
    { name: 'description', label: t('Description'), kind: 'area' },
  ],
};

/** Returns the fields that the channel supports. */
export const getContentFields = (type: ContentType, { operations }: Capabilities): ContentField[] =>
  CONTENT_FIELDS[type].filter(({ needs }) => needs === undefined || operations.includes(needs));

/** Field values by name, as typed. */
export type ContentValues = Record<string, string>;

export const emptyContent = (type: ContentType): ContentValues =>
  Object.fromEntries(CONTENT_FIELDS[type].map(({ name }) => [name, '']));

const getLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns choices with unique IDs made of their text. */
function getChoices(lines: readonly string[]): { id: string; title: string }[] {
  const taken = new Set<string>();
  return lines.map((title, nth) => {
    const words =
      title
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join('_') ?? '';
    const id = words === '' || taken.has(words) ? `${words || 'choice'}_${nth + 1}` : words;
    taken.add(id);
    return { id, title };
  });
}

function valueOf({ name, kind }: ContentField, text: string): unknown {
  const trimmed = text.trim();
  if (kind === 'switch') return text === 'true' ? true : undefined;
  if (trimmed === '') return undefined;
  if (kind === 'lines') return name === 'choices' ? getChoices(getLines(text)) : getLines(text);
  if (kind === 'number') {
    const number = Number(trimmed.replace(',', '.'));
    return Number.isNaN(number) ? trimmed : number;
  }
  if (kind === 'time') {
    const time = new Date(trimmed);
    return Number.isNaN(time.getTime()) ? trimmed : time.toISOString();
  }
  return trimmed;
}

/** Moves the form to the choice that opens it, which is the first. */
function withForm({ form_id: formId, ...content }: Record<string, unknown>): unknown {
  const [first, ...rest] = (content['choices'] ?? []) as object[];
  if (formId === undefined || first === undefined) return content;
  return { ...content, choices: [{ ...first, form_id: formId }, ...rest] };
}

/** Returns the content of a message. Blank fields are left out: the server says which ones it needs. */
function getContent(type: ContentType, values: ContentValues): unknown {
  const content = Object.fromEntries(
    CONTENT_FIELDS[type]
      .map((field) => [field.name, valueOf(field, values[field.name] ?? '')] as const)
      .filter(([, value]) => value !== undefined),
  );
  if (type === 'interactive') return withForm(content);
  return type === 'contacts' ? [content] : content;
}

/** Returns the body that sends structured content to a chat. */
export const toContentBody = (
  type: ContentType,
  values: ContentValues,
  chat: Chat,
  thread: ThreadId,
): NewMessage => ({
  instance_id: chat.instance_id,
  chat_id: chat.id,
  ...(thread !== null && { thread_id: thread }),
  type,
  [type]: getContent(type, values),
});

/** Returns where an error of a field is in the body, below the type. */
export function getPath(type: ContentType, name: string): string[] {
  if (name === 'form_id') return ['choices', '0', 'form_id'];
  return type === 'contacts' ? ['0', name] : [name];
}
