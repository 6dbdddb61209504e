/** Links by bulk and by import, with all that they can have; tags and domains. */
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../../../test/support/click-load.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { type FillWorld, pieces, type Place, portion } from './fill-world.ts';

const TAGS = ['spring', 'newsletter', 'shop', 'partner', 'event', 'social', 'print', 'support'];
/** Links in one call. */
const AT_ONCE = 1_000;
/** Of a workspace's links, those that come by a file. */
const BY_FILE = 0.2;
const JOB_WITHIN_MS = 300_000;

/** A link as an API call has it: most are plain. */
function getLink(n: number, place: Place, seed: number, random: () => number): object {
  const kind = n % 100;
  return {
    url: `https://shop.example.com/campaigns/${n % 500}/page-${n}?ref=${seed}`,
    title: `Page ${n} of campaign ${n % 500}`,
    tags: TAGS.filter((_, at) => random() < 0.5 / (at + 1)),
    external_id: `page-${seed}-${n}`,
    metadata: { campaign: String(n % 500), owner: `team-${n % 7}` },
    ...(kind === 1 ? { password: 'open sesame' } : {}),
    ...(kind === 2 ? { max_clicks: 1_000_000 } : {}),
    ...(kind === 3 ? { expires_at: new Date(Date.now() + 90 * 24 * 3600 * 1000).toISOString() } : {}),
    ...(kind === 4
      ? { targeting: [{ when: { country: ['DE', 'AT'] }, url: 'https://shop.example.com/de' }] }
      : {}),
    ...(kind === 5 ? { utm: { source: 'newsletter', campaign: `c-${n % 20}` } } : {}),
    ...(kind === 6 ? { slug: `Straße-${place.name}-${seed}-${n}`, forward_query: true } : {}),
  };
}

/** Waits for a job. @throws Error when it fails */
export async function jobDone({ api }: Place, id: string): Promise<void> {
  const deadline = performance.now() + JOB_WITHIN_MS;
  for (;;) {
    const job = await api('GET', `/jobs/${id}`);
    if (job.state === 'succeeded') {
      if (job.result?.failed)
        throw new Error(`of an import ${job.result.failed} lines failed: ${JSON.stringify(job.result)}`);
      return;
    }
    if (job.state === 'failed' || performance.now() > deadline)
      throw new Error(`a job: ${JSON.stringify(job)}`);
    await delay(100);
  }
}

async function importLinks(place: Place, first: number, count: number, seed: number): Promise<void> {
  const lines = Array.from(
    { length: count },
    (_, at) =>
      `https://docs.example.com/${first + at},File ${first + at},"${TAGS[at % TAGS.length]},import",file-${seed}-${first + at}`,
  );
  const file = ['url,title,tags,external_id', ...lines].join('\n');
  await jobDone(place, (await place.api('POST', '/links/import', file)).id);
}

/** @returns of each place the links that came by bulk and ask nothing of visitors, as the database has them */
export async function fillLinks(world: FillWorld, total: number): Promise<Map<Place, string[]>> {
  const all = new Map<Place, string[]>();
  for (const place of world.places) {
    const random = seeded(world.seed);
    const count = portion(total, place);
    const byFile = Math.floor(count * BY_FILE);
    for (const host of ['go', 'links', 'l'])
      await place.api('POST', '/domains', {
        host: `${host}-${world.seed}.${place.name.toLowerCase()}.example`,
      });
    await place.api('POST', '/tags', { name: 'unused', color: 'teal' });
    const plain: string[] = [];
    const bodies = Array.from({ length: count - byFile }, (_, n) => getLink(n, place, world.seed, random));
    for (const links of pieces(bodies, AT_ONCE)) {
      const { results } = await place.api('POST', '/links/bulk', { links });
      for (const { link, error } of results) {
        if (error) throw new Error(`a link was refused: ${JSON.stringify(error)}`);
        if (!link.has_password && link.max_clicks === null) plain.push(toUuid('link', link.id)!);
      }
    }
    if (byFile) await importLinks(place, count, byFile, world.seed);
    await change(place, Math.ceil(count / 100));
    all.set(place, plain);
  }
  return all;
}

/** Changes some links, and archives some. */
async function change({ api }: Place, count: number): Promise<void> {
  const { data } = await api('GET', `/links?limit=${Math.min(100, count * 3)}`);
  const ids = (data as { id: string }[]).map(({ id }) => id);
  const third = Math.ceil(ids.length / 3);
  for (const id of ids.slice(0, third))
    await api('PATCH', `/links/${id}`, { title: 'Changed', url: 'https://shop.example.com/moved' });
  await api('PATCH', '/links/bulk', { ids: ids.slice(third, 2 * third), archived: true });
}
