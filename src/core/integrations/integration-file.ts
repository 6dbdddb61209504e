/** What the makers of files are given. */
import type { EventType } from '../vocabulary/event-catalog.ts';

export interface FlowFileInput {
  /** The address by which the reader reaches this server. */
  origin: string;
  /** Event types that get a branch of their own; all others go to one for the rest. */
  types: readonly EventType[];
}
