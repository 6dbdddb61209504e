/**
 * The body that an event has for a webhook: the event as it is, or what a template makes of it. The template is the
 * webhook's own for the type, for its noun (`message.*`), or for all (`*`), else for chats the usual one.
 */
import type { TemplateFault, Templates } from '../../automation/templates/templates.ts';
import { type EventType, isEventType, patternsOf } from '../../events/catalogue.ts';
import { getEventType } from '../../events/event-type.service.ts';
import { consoleUrl } from './console-url.ts';
import { fitBody } from './fit.ts';
import { defaultTemplate } from './platform-templates.ts';
import { escapingOf, isChatKind, type WebhookKind } from './webhook-kinds.ts';

/** Event type or pattern → Liquid. */
export type WebhookTemplates = Record<string, string>;

export interface BodyForm {
  kind: WebhookKind;
  templates: WebhookTemplates;
}

export interface Rendering {
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

/** As one of its kind may come. */
export const sampleOf = (type: EventType): ShownEvent => getEventType(type).sample as unknown as ShownEvent;

/** @returns null where the event is sent as it is */
export function templateFor({ kind, templates }: BodyForm, type: string): string | null {
  const known = isEventType(type);
  for (const pattern of known ? patternsOf(type) : [type, '*'])
    if (Object.hasOwn(templates, pattern)) return templates[pattern]!;
  // A type that the catalogue has no more is told as one that says nothing of itself.
  return isChatKind(kind) ? defaultTemplate(kind, known ? type : 'ping') : null;
}

export type MadeBody = { body: string; fault: null } | { body: null; fault: TemplateFault };

/**
 * @param event as the API shows it
 * @throws Problem unavailable where too much waits to be rendered
 */
export async function renderBody(
  { templates, baseUrl }: Rendering,
  { workspaceId, workspaceSlug }: Place,
  kind: WebhookKind,
  source: string,
  event: ShownEvent,
): Promise<MadeBody> {
  const variables = { event, console_url: consoleUrl(baseUrl, workspaceSlug, event) };
  const [made] = await templates.render(workspaceId, variables, [{ kind: escapingOf(kind), source }]);
  if (made!.fault) return { body: null, fault: made!.fault };
  try {
    return { body: isChatKind(kind) ? fitBody(kind, made!.text) : made!.text, fault: null };
  } catch (error) {
    return { body: null, fault: { code: 'template_failed', detail: (error as Error).message } };
  }
}
