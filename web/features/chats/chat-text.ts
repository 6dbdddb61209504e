/** The line about a chat's last message, and the times of messages. */
import { language, t } from '../../copy/text.ts';
import type { Chat } from '../../api/types.ts';
import { typeWord } from '../messages/message-text.ts';

/** Returns one line about the last message: its text or type, and in groups its sender. */
export function getPreview({ kind, last_message: last }: Chat): string {
  if (!last) return t('No messages yet');
  const text = last.preview ?? typeWord(last.type);
  if (last.direction === 'outbound') return t('You: {text}', { text });
  const writer = kind === 'group' ? (last.from_name ?? last.from) : null;
  return writer === null ? text : `${writer}: ${text}`;
}

const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
export const clockTime = (at: string): string => clock.format(new Date(at));

const dated = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
const withYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', year: 'numeric' });
const shortDate = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
const DAY_MS = 86_400_000;
const getDay = (at: Date): string => at.toDateString();

/** "Today", "Yesterday", "Monday, January 12", "May 3, 2025". */
export function dayWord(at: string, now: number): string {
  const date = new Date(at);
  if (getDay(date) === getDay(new Date(now))) return t('Today');
  if (getDay(date) === getDay(new Date(now - DAY_MS))) return t('Yesterday');
  return (date.getFullYear() === new Date(now).getFullYear() ? dated : withYear).format(date);
}

/** Returns the time for today, otherwise the day. */
export function shortTime(at: string, now: number): string {
  const date = new Date(at);
  return getDay(date) === getDay(new Date(now)) ? clock.format(date) : shortDate.format(date);
}
