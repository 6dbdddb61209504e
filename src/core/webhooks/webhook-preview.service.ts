/** Previews the body of a webhook before it is created. */
import type { WorkspaceActor } from '../auth/actor.ts';
import { mayDo } from '../vocabulary/scopes.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import { CATALOG, type EventType, isEventType, maySeeType } from '../vocabulary/event-catalog.ts';
import { getEvent } from '../events/event.service.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { invalid, Problem } from '../../platform/http/problem.ts';
import { toUnknownEventError } from './webhook-input.ts';
import type { TemplateCheckDeps } from './kinds/template-check.ts';
import { renderBody, getSample, type ShownEvent, templateFor } from './kinds/webhook-body.ts';
import type { PreviewWebhookBody, WebhookPreviewObject } from './webhook-kind.schema.ts';
import { getSlug } from './kinds/workspace-slug.store.ts';

async function eventToShow(
  unit: ReadUnit,
  { eventTypes }: Pick<TemplateCheckDeps, 'eventTypes'>,
  actor: WorkspaceActor,
  type: string | null,
  id: string | null,
): Promise<ShownEvent> {
  if ((type === null) === (id === null))
    throw invalid([
      { pointer: '/event_type', code: 'required', detail: 'give either event_type or event_id' },
    ]);
  if (id !== null && !mayDo(actor.scopes, 'events:read'))
    throw new Problem('insufficient_scope', 'event_id requires the scope events:read.');
  if (id !== null) return getEvent(unit, actor.workspaceId, requireUuid('event', id), actor.scopes);
  if (!isEventType(type!)) throw invalid([toUnknownEventError(type!, '/event_type')]);
  if (!maySeeType(actor.scopes, type))
    throw new Problem(
      'insufficient_scope',
      `Reading ${type} requires the scope ${CATALOG[type satisfies EventType].scope}.`,
    );
  return getSample(eventTypes, type);
}

/**
 * Renders a preview. Errors of the template are part of the result.
 * @throws Problem invalid_request, insufficient_scope, not_found, unavailable
 */
export async function previewBody(
  unit: ReadUnit,
  deps: TemplateCheckDeps,
  actor: WorkspaceActor,
  { kind = 'custom', event_type: type = null, event_id: id = null, template = null }: PreviewWebhookBody,
): Promise<WebhookPreviewObject> {
  const event = await eventToShow(unit, deps, actor, type, id);
  const source = template ?? templateFor(deps.eventTypes, { kind, templates: {} }, event.type);
  const shown = { object: 'webhook_preview' as const, event_id: id, event_type: event.type };
  if (source === null) return { ...shown, body: JSON.stringify(event), error: null };
  const { workspaceId } = actor;
  const place = { workspaceId, workspaceSlug: await getSlug(unit.db, workspaceId) };
  const { body, fault } = await renderBody(deps, place, kind, source, event);
  return { ...shown, body, error: fault };
}
