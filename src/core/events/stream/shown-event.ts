/** An event in the form that a stream sends: created once, sent to all followers. */
import type { EventRow } from '../event.store.ts';
import { presentEvent } from '../event.service.ts';

export interface ShownEvent {
  sequence: number;
  type: string;
  /** A server-sent event; its ID is the sequence, so that `Last-Event-ID` resumes behind it. */
  text: string;
}

export const showEvent = (row: EventRow): ShownEvent => ({
  sequence: row.sequence,
  type: row.type,
  text: `id: ${row.sequence}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`,
});
