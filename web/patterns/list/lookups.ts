/** Filters with options from the server: tags, domains and members. */
import { get, send } from '../../api/call.ts';
import { memberNameQuery, memberOptionsQuery } from '../../api/members.ts';
import { t } from '../../copy/text.ts';
import type { LookupFilter } from './filter.ts';

const MAX_OPTIONS = 20;

const pageFor = (search: string) => ({ limit: MAX_OPTIONS, ...(search !== '' && { search }) });

/** @param multiple whether several tags can be chosen */
export const tagFilter = (workspaceId: string, multiple: boolean): LookupFilter => ({
  key: 'tag',
  kind: 'lookup',
  label: t('Tag'),
  multiple,
  options: (search) => ({
    queryKey: ['ws', workspaceId, 'tags', 'options', search],
    queryFn: async ({ signal }) => {
      const query = pageFor(search);
      const { data } = await send(workspaceId, get('/tags', { query }), { signal });
      return data.map(({ name, color }) => ({ value: name, label: name, color }));
    },
  }),
});

/** Offers the default domain too, which is no domain of the workspace. */
export const domainFilter = (workspaceId: string, defaultDomain: string): LookupFilter => ({
  key: 'domain',
  kind: 'lookup',
  label: t('Domain'),
  options: (search) => ({
    queryKey: ['ws', workspaceId, 'domains', 'options', search],
    queryFn: async ({ signal }) => {
      const query = { ...pageFor(search), state: 'verified' as const };
      const { data } = await send(workspaceId, get('/domains', { query }), { signal });
      const hosts = [defaultDomain, ...data.map(({ host }) => host)];
      return hosts.filter((host) => host.includes(search)).map((host) => ({ value: host, label: host }));
    },
  }),
});

/** Filters by a member's ID. */
export const memberFilter = (workspaceId: string, key: string, label: string): LookupFilter => ({
  key,
  kind: 'lookup',
  label,
  options: (search) => memberOptionsQuery(workspaceId, search),
  labelFor: (id) => memberNameQuery(workspaceId, id),
});
