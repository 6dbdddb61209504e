/**
 * Objects that keys and members create and that keep receiving or sending on their own. Each surface contributes its
 * kinds, so that they can be listed by creator and disabled when the creator ends.
 */
import type { RawBuilder } from 'kysely';
import type { WorkspaceActor } from '../auth/actor.ts';
import type { EventType } from '../vocabulary/event-catalog.ts';
import type { Scope } from '../vocabulary/scopes.ts';
import type { Unit } from '../unit/unit-of-work.ts';

export const CREATED_TYPES = [
  'api_key',
  'webhook',
  'inspector',
  'instance',
  'publishing_endpoint',
  'rule',
] as const;
export type CreatedType = (typeof CREATED_TYPES)[number];

export const END_REASONS = ['api_key_revoked', 'api_key_expired', 'member_removed'] as const;
/** How the creator of an object ended. */
export type EndReason = (typeof END_REASONS)[number];

export interface CreatedKind {
  type: CreatedType;
  scopes: { read: Scope; write: Scope };
  /** A table with `workspace_id`, `id`, `created_by` and `created_at`. */
  table: string;
  /** Of a row: its name, without secrets, and whether it takes in or calls out now. */
  name: RawBuilder<string>;
  isEnabled: RawBuilder<boolean>;
  /**
   * Checks further requirements of disabling besides the write scope.
   * @throws Problem escalation
   */
  assertMayDisable?: (unit: Unit, actor: WorkspaceActor, ids: readonly string[]) => Promise<void>;
  /** Of the event that `disable` writes; undefined if it writes none. */
  disabledEvent?: EventType;
  /** Disables an object and writes its event; does nothing if it is disabled or deleted already. */
  disable: (unit: Unit, workspaceId: string, id: string, reason: EndReason) => Promise<void>;
}

/** Returns the types of the events that a call writes if it disables what a creator created. */
export const getDisabledEvents = (kinds: readonly CreatedKind[]): EventType[] =>
  kinds.flatMap(({ disabledEvent }) => disabledEvent ?? []);
