/** Erases personal data of a contact from publications. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { PersonAddress } from '../../../core/events/erasure/person.ts';
import type { InputRow } from './records/publication.store.ts';

const INPUTS = ['payload', 'query', 'headers', 'messages', 'faults'];

interface ScannedPublication {
  id: string;
  /** Whether the publication was sent to the contact or names it. */
  hit: boolean;
}

/**
 * Builds the match condition.
 * @param anchors prefilter: any text that matches a pattern also matches an anchor, so the many patterns are evaluated
 *   only after a match
 */
const holds = (
  column: string,
  anchors: readonly string[],
  patterns: readonly string[],
): RawBuilder<boolean> =>
  sql`(${sql.ref(column)}::text like any(${anchors}::text[]) and ${sql.ref(column)}::text like any(${patterns}::text[]))`;

/**
 * Scans up to `limit` publications in an ID range.
 * @param recipients public IDs by which the contact may have been addressed
 */
export async function scan(
  db: Db,
  workspaceId: string,
  range: { after: string; below: string },
  who: {
    recipients: readonly string[];
    identities: readonly PersonAddress[];
    anchors: readonly string[];
    patterns: readonly string[];
  },
  limit: number,
): Promise<ScannedPublication[]> {
  const { recipients, identities, anchors, patterns } = who;
  const isIn = (column: string): RawBuilder<boolean> => holds(column, anchors, patterns);
  const { rows } = await sql<ScannedPublication>`
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

/** Clears the received input. Messages that are still to be sent to others stay. */
export async function clearInput(
  db: Db,
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

/** Clears the sample, the rejection details, and the recipients of the given destinations. */
export async function emptyRest(
  db: Db,
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
