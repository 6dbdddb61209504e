/** Tags of links. */
import { queryOptions } from '@tanstack/react-query';
import { get, send, post, patch, del, type BodyOf } from './call.ts';
import { allPages, listQuery } from './list.ts';

export type NewTag = BodyOf<'post', '/tags'>;

/** Maximum number of suggestions. */
const SUGGESTED = 100;

export const tagsKey = (workspaceId: string) => ['ws', workspaceId, 'tags'] as const;

/** @param search text that names contain; empty for all */
export const tagsQuery = (workspaceId: string, search: string) =>
  listQuery(
    [...tagsKey(workspaceId), 'list', search],
    workspaceId,
    get('/tags', { query: { ...(search !== '' && { search }) } }),
  );

/** Gets the newest tags whose names contain `search`, as suggestions. */
export const suggestedTagsQuery = (workspaceId: string, search: string) =>
  queryOptions({
    queryKey: [...tagsKey(workspaceId), 'suggested', search],
    queryFn: ({ signal }) =>
      send(workspaceId, get('/tags', { query: { limit: SUGGESTED, ...(search !== '' && { search }) } }), {
        signal,
      }).then((list) => list.data),
  });

/** Gets the colors of all tags, by name. */
export const tagColorsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...tagsKey(workspaceId), 'colors'],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const tags = await allPages(workspaceId, get('/tags'), signal);
      return new Map(tags.map(({ name, color }) => [name, color]));
    },
  });

export const createTag = (body: NewTag) => post('/tags', { body });

export const updateTag = (id: string, body: BodyOf<'patch', '/tags/{id}'>) =>
  patch('/tags/{id}', { path: { id }, body });

/** Deletes a tag. Its links remain. */
export const deleteTag = (id: string) => del('/tags/{id}', { path: { id } });
