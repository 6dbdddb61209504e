/** Returns the console URL of the object that an event is about. */
import { consoleLink } from '../../../platform/mail/console-link.ts';
import { getNoun } from '../../vocabulary/nouns.ts';

/** Of its object's page; of all events where it has none. */
export function consoleUrl(
  baseUrl: string,
  workspaceSlug: string,
  { type, data }: { type: string; data: unknown },
): string {
  const { object } = (data ?? {}) as { object?: unknown };
  const page = getNoun(type.split('.')[0])?.page;
  const path =
    page && typeof object === 'object' && object ? page(object as Record<string, unknown>) : 'events';
  return consoleLink(baseUrl, workspaceSlug, path.replace(/\/$/, ''));
}
