/** Sends structured content to a chat: a location, contact card, poll, template, interactive message or event. */
import { Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { putMessage } from '../../api/chat-cache.ts';
import { createMessage, makeSender } from '../../api/messages.ts';
import type { Chat, Instance, Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { type ApiForm, useApiForm } from '../../patterns/form/use-api-form.ts';
import {
  CONTENT_FIELDS,
  toContentBody,
  getContentFields,
  type ContentField,
  type ContentType,
  type ContentValues,
  emptyContent,
  getPath,
} from './content-form.ts';
import type { ThreadId } from './threads.ts';
import { TemplateFields } from './TemplateFields.tsx';

const TITLES: Record<ContentType, string> = {
  location: t('Send location'),
  contacts: t('Send contact'),
  poll: t('Send poll'),
  template: t('Send template'),
  interactive: t('Send interactive message'),
  event: t('Send event'),
};

interface ContentDialogProps {
  opened: boolean;
  type: ContentType;
  chat: Chat;
  instance: Instance;
  thread: ThreadId;
  onClose: () => void;
}

export function ContentDialog({ opened, onClose, ...content }: ContentDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={TITLES[content.type]}>
      <ContentForm key={content.type} {...content} onClose={onClose} />
    </FormDialog>
  );
}

/** Under the name of the type, so that the pointer of an error finds it. */
type Values = Partial<Record<ContentType, ContentValues>>;

function ContentForm({ type, chat, instance, thread, onClose }: Omit<ContentDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [sendMessage] = useState(() => makeSender(workspace.id));
  const toCall = (values: Values) => createMessage(toContentBody(type, values[type] ?? {}, chat, thread));
  const form = useApiForm<Values, Message>(
    { [type]: emptyContent(type) },
    (values) => sendMessage(toCall(values)),
    (message) => {
      putMessage(client, workspace.id, message);
      onClose();
    },
  );
  const whole = form.error(type);
  const fields = getContentFields(type, instance.capabilities);
  const listsTemplates = type === 'template' && instance.capabilities.operations.includes('templates');
  const set = (values: ContentValues): void => form.set(type, values);
  return (
    <FormBody form={form} submit={t('Send')} call={toCall(form.values)}>
      {listsTemplates ? (
        <TemplateFields
          instanceId={instance.id}
          values={form.values[type] ?? {}}
          error={(name) => getError(form, type, name) ?? (name === 'name' ? whole : undefined)}
          onChange={set}
        />
      ) : (
        fields.map((field, nth) => (
          <Field
            key={field.name}
            field={field}
            isFirst={nth === 0}
            value={form.values[type]?.[field.name] ?? ''}
            error={
              getError(form, type, field.name) ?? (nth === 0 && isUnplaced(form, type) ? whole : undefined)
            }
            onChange={(value) => set({ ...form.values[type], [field.name]: value })}
          />
        ))
      )}
    </FormBody>
  );
}

/** Lines that can have an error of their own. */
const MAX_LINES = 50;

/** Returns the error of a field, or of one of its lines. */
function getError(form: ApiForm<Values>, type: ContentType, name: string): string | undefined {
  const path = getPath(type, name);
  const own = form.at(type, ...path);
  if (own !== undefined) return own;
  for (let nth = 0; nth < MAX_LINES; nth++) {
    const line = form.at(type, ...path, String(nth)) ?? form.at(type, ...path, String(nth), 'title');
    if (line !== undefined) return t('Line {line}: {error}', { line: nth + 1, error: line });
  }
  return undefined;
}

/** Whether no field shows the error of the content. */
const isUnplaced = (form: ApiForm<Values>, type: ContentType): boolean =>
  CONTENT_FIELDS[type].every(({ name }) => getError(form, type, name) === undefined);

interface FieldProps {
  field: ContentField;
  isFirst: boolean;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ field, isFirst, value, error, onChange }: FieldProps) {
  const { label, kind, hint, placeholder, required = false } = field;
  const props = {
    label,
    required,
    description: hint,
    placeholder,
    value,
    error,
    'data-autofocus': isFirst || undefined,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (kind === 'switch')
    return (
      <Switch
        label={label}
        checked={value === 'true'}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'true' : '')}
        error={error}
      />
    );
  if (kind === 'area' || kind === 'lines') return <Textarea autosize minRows={2} maxRows={8} {...props} />;
  if (kind === 'time') return <TextInput type="datetime-local" {...props} />;
  return <TextInput {...props} {...(kind === 'number' && { inputMode: 'decimal' as const })} />;
}
