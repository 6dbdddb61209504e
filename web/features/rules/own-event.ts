/** An event that the user edits to test a rule with. */
import { t } from '../../copy/text.ts';
import { isObject } from '../../api/exact-json.ts';
import type { Message } from '../../api/types.ts';
import { formatJson, readJson } from '../../patterns/workbench/json-text.ts';
import { getSummary } from '../messages/message-text.ts';
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

const MAX_SUMMARY = 32;

/**
 * Returns what distinguishes an event from others of its type: a message with its sender, a name, or the sequence
 * number.
 */
export function describeEvent({
  type,
  data,
  sequence,
}: {
  type: string;
  sequence: number;
  data: { object: unknown };
}): string {
  const object = data.object as { name?: unknown; short_url?: unknown };
  if (type.startsWith('message.')) {
    const message = object as Message;
    const summary = getSummary(message);
    const text = `“${summary.length > MAX_SUMMARY ? `${summary.slice(0, MAX_SUMMARY)}…` : summary}”`;
    return message.from === null ? text : t('{text} from {sender}', { text, sender: message.from });
  }
  const name = object.name ?? object.short_url;
  return typeof name === 'string' && name !== '' ? name : `#${sequence}`;
}

interface MessageEvent extends Record<string, unknown> {
  data?: { object?: { text?: { body?: unknown } | null } };
}

/** Returns the text of an event's message; null if it has none. */
export function getBody({ event }: TrialEvent): string | null {
  const body = (event as MessageEvent).data?.object?.text?.body;
  return typeof body === 'string' ? body : null;
}

/** Returns the event with another text of its message. */
export function withBody(trial: TrialEvent, body: string): OwnEvent {
  const { data, ...event } = trial.event as MessageEvent;
  const object = { ...data?.object, text: { ...data?.object?.text, body } };
  return readOwnEvent(formatEvent({ ...trial, event: { ...event, data: { ...data, object } } }), trial);
}
