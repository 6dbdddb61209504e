/**
 * Changes of a model provider that no caller makes: the result of reading its models, and its state.
 *
 *   active ── three failed calls in a row, or a failed list ──▶ failing
 *   failing ── a success ──▶ active
 *
 * They are outside the version, so that they don't conflict with edits.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { EventType } from '../../../core/vocabulary/event-catalog.ts';
import type { ModelProviderObject, ProviderError } from './provider.schema.ts';
import { presentProvider } from './provider-present.ts';
import * as store from './provider.store.ts';

type ProviderEvent = Extract<EventType, `model_provider.${string}`>;

export const writeProviderEvent = (
  unit: Unit,
  workspaceId: string,
  type: ProviderEvent,
  provider: ModelProviderObject,
  previous?: object,
): Promise<void> =>
  unit.events.write(unit, { workspaceId, type, resourceId: provider.id, object: provider, previous });

/**
 * Records whether a provider works, with the event of a change of its state.
 * @param before the row, locked
 * @param error null after a success
 * @param also columns to change besides
 */
export async function changeHealth(
  unit: Unit,
  before: store.ProviderRow,
  error: ProviderError | null,
  also: store.ProviderChange = {},
): Promise<store.ProviderRow> {
  const state = error === null ? 'active' : 'failing';
  const change = { ...also, state, last_error: error } as const;
  const after = await store.updateProvider(unit.db, before.workspace_id, before.id, change, false);
  if (before.state !== state) {
    const type = state === 'active' ? 'model_provider.recovered' : 'model_provider.failing';
    await writeProviderEvent(unit, before.workspace_id, type, presentProvider(after));
  }
  return after;
}
