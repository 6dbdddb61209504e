/** `GET /server-status`: whether this server takes anything new. From memory, with no database call. */
import Type, { type Static } from 'typebox';
import { type Operation, operation } from '../core/api/operation.ts';
import { Enum, Nullable, Timestamp } from '../platform/http/schema.ts';
import { type DiskWatch, describeShortage } from '../platform/storage/disk-watch.ts';

const ServerStatus = Type.Object(
  {
    object: Type.Literal('server_status', {
      description: 'Always `server_status`.',
      examples: ['server_status'],
    }),
    storage: Enum(['ok', 'full'], {
      description:
        '`full` while a disk has less free than is to stay free: then writes are answered 507 `storage_full`.',
      examples: ['ok'],
    }),
    detail: Nullable(Type.String(), {
      description: 'The full disk; null if none is full.',
      examples: [null],
    }),
    since: Nullable(Timestamp('Since when it is full.'), { examples: [null] }),
  },
  { title: 'ServerStatus' },
);

function present(storage: Pick<DiskWatch, 'full'>): Static<typeof ServerStatus> {
  const full = storage.full();
  return {
    object: 'server_status',
    storage: full ? 'full' : 'ok',
    detail: full && describeShortage(full),
    since: full && full.since.toISOString(),
  };
}

export const serverStatusOperations = (storage: Pick<DiskWatch, 'full'>): Operation[] => [
  operation(
    {
      id: 'server_status.get',
      method: 'GET',
      path: '/server-status',
      tag: 'Account',
      summary: 'See whether the server takes anything new',
      description:
        'While a disk of the server is nearly full, what would need more of it is answered 507 `storage_full`. Reading goes on, and so do deleting, canceling, disabling and revoking, and short links. Of several nodes each answers for itself.',
      access: 'anyone',
      success: { status: 200, description: 'How it stands.', schema: ServerStatus },
    },
    () => ({ body: present(storage) }),
  ),
];
