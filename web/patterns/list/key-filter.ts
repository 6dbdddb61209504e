import { apiKeyNameQuery, apiKeyOptionsQuery } from '../../api/api-keys.ts';
import { t } from '../../copy/text.ts';
import type { LookupFilter } from './filter.ts';

/** Returns the filter of a list by API key, for the search parameter `key`. */
export const apiKeyFilter = (workspaceId: string): LookupFilter => ({
  kind: 'lookup',
  key: 'key',
  label: t('API key'),
  options: (search) => apiKeyOptionsQuery(workspaceId, search),
  labelFor: (id) => apiKeyNameQuery(workspaceId, id),
});
