/** Parameters of the functions that create files. */
import type { EventType } from '../vocabulary/event-catalog.ts';

export interface FlowFileInput {
  /** The URL by which the reader reaches this server. */
  origin: string;
  /** Event types that get a branch of their own; all others go to one for the rest. */
  types: readonly EventType[];
}
