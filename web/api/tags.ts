/** Tags: words that bring links together. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Tag } from './types.ts';

export type NewTag = NonNullable<operations['tags.create']['requestBody']>['content']['application/json'];
export type TagChange = NonNullable<operations['tags.update']['requestBody']>['content']['application/json'];

/** Suggestions that are shown at once. */
const SUGGESTED = 100;

export const tagsKey = (workspaceId: string) => ['ws', workspaceId, 'tags'] as const;

/** @param search what names contain; empty: all */
export const tagsQuery = (workspaceId: string, search: string) =>
  listQuery([...tagsKey(workspaceId), 'list', search], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/tags', {
        params: { query: { ...page, ...(search !== '' && { search }) } },
        signal,
      }),
    ),
  );

/** The newest whose names contain `search`, for picking. */
export const suggestedTagsQuery = (workspaceId: string, search: string) =>
  queryOptions({
    queryKey: [...tagsKey(workspaceId), 'suggested', search],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/tags', {
          params: { query: { limit: SUGGESTED, ...(search !== '' && { search }) } },
          signal,
        }),
      ).then((list) => list.data),
  });

/** Colours by name, of the newest: a tag that is not among them is grey where it is shown. */
export const tagColorsQuery = (workspaceId: string) => ({
  ...suggestedTagsQuery(workspaceId, ''),
  select: (tags: Tag[]): ReadonlyMap<string, string> => new Map(tags.map(({ name, color }) => [name, color])),
});

export const createTag = (workspaceId: string, body: NewTag): Promise<Tag> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/tags', { body }));

export const updateTag = (workspaceId: string, id: string, body: TagChange): Promise<Tag> =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/tags/{id}', { params: { path: { id } }, body }));

/** Links that have it stay. */
export const deleteTag = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/tags/{id}', { params: { path: { id } } }));
