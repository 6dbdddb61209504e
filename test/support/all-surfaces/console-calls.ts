/** What the console's pages ask for, of a workspace and of what is first in its lists. */
import { succeeded } from '../account.ts';
import type { AllWorld } from './world.ts';

/** Lists and sums, as the pages of the console ask for them when they open. */
const PAGES = [
  '/me',
  '/workspaces?limit=50',
  '/usage',
  '/instances?limit=50',
  '/chats?limit=50',
  '/messages?limit=50',
  '/messages?limit=50&status=failed',
  '/messages?limit=50&q=parcel',
  '/contacts?limit=50',
  '/contacts?limit=50&name=per',
  '/groups?limit=50',
  '/media?limit=50',
  '/links?limit=50',
  '/links?limit=50&sort=clicks',
  '/links?limit=50&search=campaign',
  '/links?limit=50&tag=spring',
  '/links/count',
  '/tags?limit=50',
  '/domains?limit=50',
  '/analytics',
  '/analytics?group_by=country',
  '/analytics?group_by=referrer&compare=previous_period',
  '/analytics?group_by=link',
  '/webhooks?limit=50',
  '/webhook-health',
  '/delivery-queue',
  '/events?limit=50',
  '/events?limit=50&type=link.created',
  '/publishing-endpoints?limit=50',
  '/publications?limit=50',
  '/publications?limit=50&status=failed',
  '/rules?limit=50',
  '/rule-runs?limit=50',
  '/api-keys?limit=50',
  '/members?limit=50',
  '/audit-log?limit=50',
];

/** List → what is asked of one in it. */
const OF_ONE: Record<string, string[]> = {
  '/chats': ['/chats/{id}', '/chats/{id}/messages?limit=50'],
  '/messages': ['/messages/{id}'],
  '/contacts': ['/contacts/{id}'],
  '/links?sort=clicks': [
    '/links/{id}',
    '/links/{id}/clicks?limit=50',
    '/analytics?link_id={id}',
    '/analytics?link_id={id}&group_by=country',
  ],
  '/webhooks': [
    '/webhooks/{id}',
    '/webhooks/{id}/deliveries?limit=50',
    '/webhooks/{id}/deliveries?limit=50&status=exhausted',
  ],
  '/publications': ['/publications/{id}'],
  '/events': ['/events/{id}'],
};

/** @returns paths behind the server's address, in turn */
export async function consoleCalls({ account }: AllWorld): Promise<string[]> {
  const calls = [...PAGES];
  for (const [list, paths] of Object.entries(OF_ONE)) {
    const answer = await succeeded(await account.call('GET', list));
    const { data } = (await answer.json()) as { data: { id: string }[] };
    for (const { id } of data.slice(0, 3)) calls.push(...paths.map((path) => path.replace('{id}', id)));
  }
  return calls.map((path) => `/api/v1${path}`);
}
