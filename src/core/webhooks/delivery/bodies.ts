/** Bodies of deliveries, in the process that sends them. */
import type { TemplateError } from '../../../platform/templates/templates.ts';
import type { LoadedEvent } from '../../events/load-events.system-store.ts';
import { presentEvent } from '../../events/event.service.ts';
import { type Rendering, renderBody, templateFor } from '../kinds/webhook-body.ts';
import type { WebhookConfig } from './webhook-secret.ts';
import type { Claimed } from './claim.system-store.ts';

/** All that an attempt needs but its body. */
export interface Ready {
  claimed: Claimed;
  event: LoadedEvent;
  /** The event as the API shows it. */
  plain: string;
  config: WebhookConfig;
}

type Made = { body: string; isRendered: boolean; fault: null } | { body: null; fault: TemplateError };

export interface DeliveryBodies {
  /** @throws Problem unavailable where too much waits to be rendered */
  of(ready: Ready): Promise<Made>;
}

export const createDeliveryBodies = (rendering: Rendering): DeliveryBodies => ({
  async of({ claimed, event, plain, config }) {
    const source = templateFor(rendering.eventTypes, config.form, event.type);
    if (source === null) return { body: plain, isRendered: false, fault: null };
    const place = { workspaceId: claimed.workspace_id, workspaceSlug: config.workspaceSlug };
    const made = await renderBody(rendering, place, config.form.kind, source, presentEvent(event));
    return made.fault ? made : { body: made.body, isRendered: true, fault: null };
  },
});
