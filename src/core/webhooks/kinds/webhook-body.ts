/**
 * Builds the body of an event for a webhook: the unchanged event, or the output of a template. The template is the
 * webhook's own for the type, for its noun (`message.*`), or for all (`*`); otherwise chat kinds use the default one.
 */
import type { TemplateError, Templates } from '../../../platform/templates/templates.ts';
import { type EventType, isEventType, getPatterns } from '../../vocabulary/event-catalog.ts';
import type { EventTypes } from '../../events/event-type.service.ts';
import { consoleUrl } from './console-url.ts';
import { fitBody } from './fit.ts';
import { defaultTemplate } from './platform-templates.ts';
import { getEscaping, isChatKind, type WebhookKind } from './webhook-kinds.ts';

/** Event type or pattern → Liquid. */
export type WebhookTemplates = Record<string, string>;

export interface BodyForm {
  kind: WebhookKind;
  templates: WebhookTemplates;
}

export interface Rendering {
  eventTypes: EventTypes;
  templates: Pick<Templates, 'render'>;
  baseUrl: string;
}

export interface Place {
  /** uuid */
  workspaceId: string;
  workspaceSlug: string;
}

/** An event as the API shows it. */
export interface ShownEvent {
  type: string;
  data: unknown;
}

/** Returns the sample event of a type. */
export const getSample = (eventTypes: EventTypes, type: EventType): ShownEvent =>
  eventTypes.get(type).sample as unknown as ShownEvent;

const ownTemplate = (templates: WebhookTemplates, type: string): string | undefined => {
  const pattern = (isEventType(type) ? getPatterns(type) : [type, '*']).find((one) =>
    Object.hasOwn(templates, one),
  );
  return pattern === undefined ? undefined : templates[pattern];
};

/** Whether a template creates the body; otherwise the event is sent unchanged. */
export const isTemplated = ({ kind, templates }: BodyForm, type: string): boolean =>
  isChatKind(kind) || ownTemplate(templates, type) !== undefined;

/** @returns null where the event is sent unchanged */
export function templateFor(
  eventTypes: EventTypes,
  { kind, templates }: BodyForm,
  type: string,
): string | null {
  const own = ownTemplate(templates, type);
  if (own !== undefined || !isChatKind(kind)) return own ?? null;
  // A type that has left the catalog has no sample to summarize.
  return defaultTemplate(eventTypes, kind, isEventType(type) ? type : 'ping');
}

export type RenderedBody = { body: string; fault: null } | { body: null; fault: TemplateError };

/**
 * @param event as the API shows it
 * @throws Problem unavailable where too much waits to be rendered
 */
export async function renderBody(
  { templates, baseUrl }: Omit<Rendering, 'eventTypes'>,
  { workspaceId, workspaceSlug }: Place,
  kind: WebhookKind,
  source: string,
  event: ShownEvent,
): Promise<RenderedBody> {
  const variables = { event, console_url: consoleUrl(baseUrl, workspaceSlug, event) };
  const [made] = await templates.render(workspaceId, variables, [{ kind: getEscaping(kind), source }]);
  if (made!.fault) return { body: null, fault: made!.fault };
  try {
    return { body: isChatKind(kind) ? fitBody(kind, made!.text) : made!.text, fault: null };
  } catch (error) {
    return { body: null, fault: { code: 'template_failed', detail: (error as Error).message } };
  }
}
