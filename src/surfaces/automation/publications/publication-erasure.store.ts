/** What publications keep of a contact that is erased. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { PersonAddress } from '../../../core/events/erasure/person.ts';
import type { InputRow } from './publication.store.ts';

const INPUTS = ['payload', 'query', 'headers', 'messages', 'faults'];

interface Looked {
  id: string;
  /** Whether it is for the contact, or names it. */
  hit: boolean;
}

/** @param anchors one of which fits whatever a pattern fits: of the many patterns there is need where one does */
const holds = (
  column: string,
  anchors: readonly string[],
  patterns: readonly string[],
): RawBuilder<boolean> =>
  sql`(${sql.ref(column)}::text like any(${anchors}::text[]) and ${sql.ref(column)}::text like any(${patterns}::text[]))`;

/**
 * Publications beyond one and up to another, by their ids, at most `most`.
 * @param recipients public ids by which it may have been written to
 */
export async function scan(
  db: Queryable,
  workspaceId: string,
  range: { after: string; below: string },
  who: {
    recipients: readonly string[];
    identities: readonly PersonAddress[];
    anchors: readonly string[];
    patterns: readonly string[];
  },
  limit: number,
): Promise<Looked[]> {
  const { recipients, identities, anchors, patterns } = who;
  const isIn = (column: string): RawBuilder<boolean> => holds(column, anchors, patterns);
  const { rows } = await sql<Looked>`
    with page as materialized (
      select id, error from publications
      where workspace_id = ${workspaceId} and id > ${range.after} and id < ${range.below} order by id limit ${limit}
    )
    select p.id, (
      ${isIn('p.error')}
      or exists (
        select from publication_results r
        where r.workspace_id = ${workspaceId} and r.publication_id = p.id and (
          r.recipient = any(${recipients}::text[]) or (r.instance_id, r.recipient) in (
            select * from unnest(
              ${identities.map((one) => one.instance_id)}::uuid[], ${identities.map(({ address }) => address)}::text[]
            )
          )
        )
      )
      or exists (
        select from publication_inputs i
        where i.workspace_id = ${workspaceId} and i.publication_id = p.id and not i.erased and (
          ${sql.join(
            INPUTS.map((column) => isIn(`i.${column}`)),
            sql` or `,
          )}
        )
      )
    ) is true as hit
    from page p order by p.id
  `.execute(db);
  return rows;
}

/** What came of a publication is empty from now on; what is still to be sent to others stays. */
export async function clearInput(
  db: Queryable,
  workspaceId: string,
  id: string,
  { messages, faults }: Pick<InputRow, 'messages' | 'faults'>,
): Promise<void> {
  await sql`
    update publication_inputs set payload = '{}', headers = '{}', query = '{}', erased = true,
      messages = ${JSON.stringify(messages)}, faults = ${faults && JSON.stringify(faults)}::jsonb
    where workspace_id = ${workspaceId} and publication_id = ${id}
  `.execute(db);
}

/** Its sample too, and what its refusal quotes; of these destinations, whom they went to. */
export async function emptyRest(
  db: Queryable,
  workspaceId: string,
  { id, endpointId, positions }: { id: string; endpointId: string; positions: readonly number[] },
): Promise<void> {
  await sql`
    with samples as (
      delete from publishing_samples where workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and id = ${id}
    ), results as (
      update publication_results set recipient = '', error_detail = case when error_detail is null then null else '' end
      where workspace_id = ${workspaceId} and publication_id = ${id} and position = any(${positions}::smallint[])
    )
    update publications set error = jsonb_build_object('code', error -> 'code', 'detail', '', 'errors', '[]'::jsonb)
    where workspace_id = ${workspaceId} and id = ${id} and error is not null
  `.execute(db);
}
