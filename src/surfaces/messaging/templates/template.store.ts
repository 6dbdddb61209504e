/** Stores the message templates of instances, as their channels list them. */
import { type Selectable, sql } from 'kysely';
import type { ChannelTemplate } from '../../../channels/contract/template.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { MessageTemplates } from '../../../platform/db/tables.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import type { Page } from '../../../platform/http/pagination.ts';

export type TemplateRow = Selectable<MessageTemplates>;

/** Makes the stored templates of an instance those that are given; unchanged ones keep their row and time. */
export async function replaceTemplates(
  tx: Tx,
  workspaceId: string,
  instanceId: string,
  templates: readonly ChannelTemplate[],
  now: Date,
): Promise<void> {
  const rows = templates.map((template) => ({ ...template, id: newUuid() }));
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)})
        g (id uuid, name text, language text, category text, state text, reason text, components jsonb)
    ), gone as (
      delete from message_templates t
      where t.workspace_id = ${workspaceId} and t.instance_id = ${instanceId}
        and not exists (select 1 from given g where g.name = t.name and g.language = t.language)
    )
    insert into message_templates as t (workspace_id, instance_id, id, name, language, category, state, reason, components, updated_at)
    select distinct on (name, language) ${workspaceId}::uuid, ${instanceId}::uuid, id, name, language, category, state, reason, components, ${now}::timestamptz
    from given
    on conflict (workspace_id, instance_id, name, language) do update
      set category = excluded.category, state = excluded.state, reason = excluded.reason, components = excluded.components,
        updated_at = excluded.updated_at
      where (t.category, t.state, t.reason, t.components)
        is distinct from (excluded.category, excluded.state, excluded.reason, excluded.components)
  `.execute(tx);
}

/** One row more than the page holds, newest first. */
export function listTemplates(
  db: Db,
  workspaceId: string,
  instanceId: string,
  page: Page,
  filter: { name?: string; state?: string },
): Promise<TemplateRow[]> {
  let query = db
    .selectFrom('message_templates')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('instance_id', '=', instanceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  return query.execute();
}

/** Reads the templates of these names, in all languages, and which of the instances have any. */
export async function findTemplates(
  db: Db,
  workspaceId: string,
  asked: readonly { instanceId: string; name: string }[],
): Promise<{ found: TemplateRow[]; synchronized: ReadonlySet<string> }> {
  if (!asked.length) return { found: [], synchronized: new Set() };
  const instanceIds = asked.map((one) => one.instanceId);
  const { rows: found } = await sql<TemplateRow>`
    select distinct t.* from message_templates t
    join unnest(${instanceIds}::uuid[], ${asked.map((one) => one.name)}::text[]) a (instance_id, name)
      on t.instance_id = a.instance_id and t.name = a.name
    where t.workspace_id = ${workspaceId}
  `.execute(db);
  const { rows } = await sql<{ id: string }>`
    select distinct a.id from unnest(${instanceIds}::uuid[]) a (id)
    where exists (select 1 from message_templates t where t.workspace_id = ${workspaceId} and t.instance_id = a.id)
  `.execute(db);
  return { found, synchronized: new Set(rows.map(({ id }) => id)) };
}
