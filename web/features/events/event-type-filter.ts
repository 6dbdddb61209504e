import { eventTypesQuery } from '../../api/events.ts';
import { t } from '../../copy/text.ts';
import type { LookupFilter } from '../../patterns/list/filter.ts';
import { searchTypes, withPatterns } from './event-filter.ts';

/**
 * Returns a filter by the event types of the log.
 * @param key search parameter
 * @param patterns whether `noun.*` can be selected too
 */
export const eventTypeFilter = (workspaceId: string, key: string, patterns = false): LookupFilter => ({
  key,
  label: t('Event type'),
  kind: 'lookup',
  options: (search) => ({
    queryKey: ['ws', workspaceId, 'event-type-options', patterns, search],
    queryFn: async ({ client }) => {
      const types = await client.ensureQueryData(eventTypesQuery(workspaceId));
      const found = searchTypes(
        types.filter((type) => !type.stream_only),
        search,
      ).map(({ id }) => id);
      return (patterns ? withPatterns(found) : found).map((value) => ({ value, label: value }));
    },
  }),
});
