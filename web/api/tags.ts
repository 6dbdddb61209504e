/** Tags of links. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { allPages, listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Tag } from './types.ts';

export type NewTag = NonNullable<operations['tags.create']['requestBody']>['content']['application/json'];
export type TagChange = NonNullable<operations['tags.update']['requestBody']>['content']['application/json'];

/** Maximum number of suggestions. */
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

/** Gets the newest tags whose names contain `search`, as suggestions. */
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

/** Gets the colors of all tags, by name. */
export const tagColorsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...tagsKey(workspaceId), 'colors'],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const tags = await allPages((page) =>
        unwrap(apiFor(workspaceId).GET('/api/v1/tags', { params: { query: page }, signal })),
      );
      return new Map(tags.map(({ name, color }) => [name, color]));
    },
  });

export const createTag = (workspaceId: string, body: NewTag): Promise<Tag> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/tags', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateTag = (
  workspaceId: string,
  id: string,
  body: TagChange,
  version: string | null = null,
): Promise<Tag> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/tags/{id}', { params: { path: { id }, ...ifMatch(version) }, body }),
  );

/** Deletes a tag. Its links remain. */
export const deleteTag = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/tags/{id}', { params: { path: { id } } }));
