/** `GET /server-status`: whether this server takes anything new. From memory, with no database call. */
import Type, { type Static } from 'typebox';
import { type Operation, operation } from '../core/api/operation.ts';
import { type Config, GEOIP_OFF } from '../platform/config/config.ts';
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
        '`full` while a disk has less free space than required. Requests that need more space then fail with 507 `storage_full`.',
      examples: ['ok'],
    }),
    detail: Nullable(Type.String(), {
      description: 'The full disk; null if none is full.',
      examples: [null],
    }),
    since: Nullable(Timestamp('When the disk became full.'), { examples: [null] }),
    locates_clicks: Type.Boolean({
      description: 'Whether clicks have a country. They have none where `GEOIP_DB` is `off`.',
      examples: [true],
    }),
    locates_cities: Type.Boolean({
      description: 'Whether clicks may have a city. This needs a database of cities (`GEOIP_DB`).',
      examples: [false],
    }),
  },
  { title: 'ServerStatus' },
);

/** Which parts of the location of clicks are looked up. */
export interface LocatedClicks {
  clicks: boolean;
  cities: boolean;
}

export const getLocatedClicks = ({ GEOIP_DB }: Pick<Config, 'GEOIP_DB'>): LocatedClicks => ({
  clicks: GEOIP_DB !== GEOIP_OFF,
  cities: ![null, GEOIP_OFF].includes(GEOIP_DB),
});

function present(storage: Pick<DiskWatch, 'full'>, locates: LocatedClicks): Static<typeof ServerStatus> {
  const full = storage.full();
  return {
    object: 'server_status',
    storage: full ? 'full' : 'ok',
    detail: full && describeShortage(full),
    since: full && full.since.toISOString(),
    locates_clicks: locates.clicks,
    locates_cities: locates.cities,
  };
}

export const serverStatusOperations = (
  storage: Pick<DiskWatch, 'full'>,
  locates: LocatedClicks,
): Operation[] => [
  operation(
    {
      id: 'server_status.get',
      method: 'GET',
      path: '/server-status',
      tag: 'Account',
      summary: 'Get the server status',
      description:
        'While a disk of the server is nearly full, requests that need more space fail with 507 `storage_full`. You can still read, delete, cancel, disable and revoke, and short links keep working. Each node reports its own status.',
      access: 'anyone',
      success: { status: 200, description: 'The server status.', schema: ServerStatus },
    },
    () => ({ body: present(storage, locates) }),
  ),
];
