/** An event that the user edits to test a rule with. */
import { t } from '../../copy/text.ts';
import { isObject } from '../../api/exact-json.ts';
import { formatJson, readJson } from '../../patterns/workbench/json-text.ts';
import type { TrialEvent } from './trial-events.ts';

export interface OwnEvent {
  /** The last valid event. */
  trial: TrialEvent;
  /** As typed. */
  text: string;
  /** Why the text is no event; null if it is. */
  error: string | null;
}

export const formatEvent = ({ event }: TrialEvent): string => formatJson(event);

/** Reads an event. @param before is tested while the text is not valid */
export function readOwnEvent(text: string, before: TrialEvent): OwnEvent {
  const { value, error } = readJson(text);
  if (error !== null) return { trial: before, text, error };
  const type = isObject(value) ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string')
    return { trial: before, text, error: t('The event needs a type, such as "message.received".') };
  const event = { ...(value as object), type };
  return { trial: { with: { custom_event: event }, event }, text, error: null };
}
