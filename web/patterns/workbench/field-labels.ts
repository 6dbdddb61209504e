/** The labels of the editors' fields, which errors refer to. */
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';

const FIELD_LABELS: Record<string, string> = {
  instance_id: t('Instance'),
  to: t('Address'),
  contact_id: t('Contact'),
  chat_id: t('Chat'),
  group_id: t('Group'),
  template: t('Text'),
  media: t('File URL or ID'),
  url: t('URL'),
  model: t('Model'),
  prompt: t('Prompt'),
  events: t('Trigger'),
};

/** Returns the label of the field that an error is about; undefined if it has none. */
export const getFieldLabel = ({ pointer }: Fault): string | undefined =>
  FIELD_LABELS[pointer.split('/').at(-1)!];

/** Returns the labels of the fields that errors are about, each once. */
export const getFieldLabels = (faults: readonly Fault[]): string[] => [
  ...new Set(faults.flatMap((fault) => getFieldLabel(fault) ?? [])),
];

/** The error with the label of its field at the end of its pointer. */
export const withLabel = (fault: Fault): Fault => ({
  ...fault,
  pointer: fault.pointer.replace(/[^/]+$/, (name) => getFieldLabel(fault) ?? name),
});
