import { instanceNameQuery, instanceOptionsQuery } from '../../api/instances.ts';
import { t } from '../../copy/text.ts';
import type { LookupFilter } from '../../patterns/list/filter.ts';

/** Returns the filter of a list by instance, for the search parameter `instance`. */
export const instanceFilter = (workspaceId: string): LookupFilter => ({
  kind: 'lookup',
  key: 'instance',
  label: t('Instance'),
  options: (search) => instanceOptionsQuery(workspaceId, search),
  labelFor: (id) => instanceNameQuery(workspaceId, id),
});
