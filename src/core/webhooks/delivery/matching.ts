/**
 * Matches events against a webhook's filters. A filter names an object that an event must be about; an event without
 * such an object does not match. Fan-out and replay use the same condition.
 *
 * An event is about an instance, a link or a tag if `data.object` is one or refers to one.
 */
import { type RawBuilder, sql } from 'kysely';

export interface WebhookFilters {
  instance_id: string | null;
  link_id: string | null;
  tag: string | null;
}

export const hasFilters = (filters: WebhookFilters): boolean =>
  filters.instance_id !== null || filters.link_id !== null || filters.tag !== null;

/**
 * @param event alias of a row of `events`
 * @param filter alias of a row with instance_id, link_id and tag (text, null for any)
 */
export const passesFilters = (event: string, filter: string): RawBuilder<boolean> => {
  const object = sql`${sql.ref(`${event}.data`)} -> 'object'`;
  const wanted = (name: string) => sql.ref(`${filter}.${name}`);
  const isAbout = (name: string, type: string) => sql`(
    ${wanted(name)} is null or ${object} ->> ${sql.lit(name)} = ${wanted(name)}
    or (${object} ->> 'object' = ${sql.lit(type)} and ${object} ->> 'id' = ${wanted(name)})
  )`;
  return sql<boolean>`(
    ${isAbout('instance_id', 'instance')} and ${isAbout('link_id', 'link')}
    and (${wanted('tag')} is null or coalesce(${object} -> 'tags', '[]') @> jsonb_build_array(${wanted('tag')}))
  )`;
};
