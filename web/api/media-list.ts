/** The files of a workspace, and the messages that contain one. Apart from media.ts, which most pages load. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { get, send, del, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';
import { FRESH_MS, POLL_MS } from './media.ts';
import type { Media, Message } from './types.ts';

const mediaListsKey = (workspaceId: string) => ['ws', workspaceId, 'media', 'list'] as const;

export const refreshMedia = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: mediaListsKey(workspaceId) });

/** Gets files, newest first, again while some of them are being fetched or before their URLs expire. */
export const mediaListQuery = (workspaceId: string, filter: FilterOf<'/media'>) => ({
  ...listQuery([...mediaListsKey(workspaceId), filter], workspaceId, get('/media', { query: filter })),
  refetchInterval: ({ state }: { state: { data?: { pages: { data: Media[] }[] } | undefined } }) =>
    state.data?.pages.some(({ data }) => data.some((media) => media.state === 'pending'))
      ? POLL_MS
      : FRESH_MS,
});

/** Messages that are looked through for a file. */
const MAX_USES = 50;

const getFile = (message: Message): string | null => {
  const content = message[message.type];
  return content && 'media_id' in content ? content.media_id : null;
};

/** Gets messages that contain a file: the newest of those with its name. */
export const mediaUsesQuery = (workspaceId: string, id: string, fileName: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'media', 'uses', id],
    queryFn: async ({ signal }) => {
      const query = { q: fileName, limit: MAX_USES };
      const { data } = await send(workspaceId, get('/messages', { query }), { signal });
      return data.filter((message) => getFile(message) === id);
    },
  });

export const deleteMedia = (id: string) => del('/media/{id}', { path: { id } });
