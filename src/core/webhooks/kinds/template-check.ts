/** Validates templates of users before they are stored. */
import type { Templates } from '../../../platform/templates/templates.ts';
import { typesMatching } from '../../vocabulary/event-catalog.ts';
import type { EventTypes } from '../../events/event-type.service.ts';
import { escapePointer, type FieldError, Problem } from '../../../platform/http/problem.ts';
import { type Place, renderBody, getSample, type WebhookTemplates } from './webhook-body.ts';
import type { WebhookKind } from './webhook-kinds.ts';

/** All templates of a webhook together, in characters. */
const MAX_CHARACTERS = 65_536;

export interface TemplateCheckDeps {
  eventTypes: EventTypes;
  templates: Templates;
  baseUrl: string;
}

/**
 * Refuses templates that can't be read, or make no JSON of the sample of their (first) type.
 * @throws Problem unprocessable with a pointer to each; unavailable
 */
export async function assertTemplates(
  deps: TemplateCheckDeps,
  workspaceId: string,
  kind: WebhookKind,
  given: WebhookTemplates,
): Promise<void> {
  const entries = Object.entries(given);
  if (entries.reduce((sum, [, source]) => sum + source.length, 0) > MAX_CHARACTERS)
    throw refused([
      {
        pointer: '/templates',
        code: 'too_long',
        detail: `must not exceed ${MAX_CHARACTERS.toLocaleString('en-US')} characters in total`,
      },
    ]);
  const place: Place = { workspaceId, workspaceSlug: 'workspace' };
  const tried = await Promise.all(
    entries.map(async ([pattern, source]): Promise<FieldError[]> => {
      const [type] = typesMatching(pattern) ?? [];
      if (!type) return []; // reported as an error of the template's output
      const { fault } = await renderBody(deps, place, kind, source, getSample(deps.eventTypes, type));
      return fault ? [{ pointer: `/templates/${escapePointer(pattern)}`, ...fault }] : [];
    }),
  );
  const faults = tried.flat();
  if (faults.length) throw refused(faults);
}

const refused = (errors: FieldError[]): Problem =>
  new Problem('unprocessable', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), {
    errors,
  });
