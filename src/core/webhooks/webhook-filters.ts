/** Checks that the objects in a webhook's filters exist: with a mistyped ID it would silently deliver nothing. */
import type { Db } from '../../platform/db/database.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { toUnprocessable } from './webhook-input.ts';
import type { WebhookObject } from './webhook.schema.ts';

type Filters = WebhookObject['filters'];

/** For each filter, whether the workspace has the object with the given value. */
export type FindFilterTargets = Record<
  keyof Filters,
  (db: Db, workspaceId: string, value: string) => Promise<boolean>
>;

const NAMES = { instance_id: 'instance', link_id: 'link', tag: 'tag' } satisfies Record<
  keyof Filters,
  string
>;

/**
 * Checks the filters that differ from the current ones, whose objects may have been deleted since.
 * @throws Problem unprocessable
 */
export async function assertFilterTargets(
  db: Db,
  targets: FindFilterTargets,
  workspaceId: string,
  filters: Filters,
  present: Filters | null = null,
): Promise<void> {
  const faults: FieldError[] = [];
  for (const name of Object.keys(NAMES) as (keyof Filters)[]) {
    const value = filters[name];
    if (value === null || value === present?.[name] || (await targets[name](db, workspaceId, value)))
      continue;
    const detail = `There is no such ${NAMES[name]} in this workspace.`;
    faults.push({ pointer: `/filters/${name}`, code: 'not_found', detail });
  }
  if (faults.length) throw toUnprocessable(faults);
}
