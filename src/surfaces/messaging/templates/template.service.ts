/** Lists message templates. */
import type { TemplateComponent } from '../../../channels/contract/template.ts';
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { getInstance } from '../instances/instance.store.ts';
import type { MessageTemplateObject } from './template.schema.ts';
import * as store from './template.store.ts';

const present = (row: store.TemplateRow): MessageTemplateObject => ({
  object: 'message_template',
  name: row.name,
  language: row.language,
  category: row.category,
  state: row.state as MessageTemplateObject['state'],
  reason: row.reason,
  components: row.components as unknown as TemplateComponent[],
  updated_at: row.updated_at.toISOString(),
});

/** @throws Problem not_found */
export async function listTemplates(
  unit: ReadUnit,
  workspaceId: string,
  instanceId: string,
  page: Page,
  filter: { name?: string; state?: string },
): Promise<List<MessageTemplateObject>> {
  if (!(await getInstance(unit.db, workspaceId, instanceId))) throw notFound('instance');
  const rows = await store.listTemplates(unit.db, workspaceId, instanceId, page, filter);
  return toList(rows, page, ({ id }) => id, present);
}
