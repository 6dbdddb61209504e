import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, key = home.key) =>
  app.call(path, { key, body, method });

async function imported(text: string, query = '', key = home.key) {
  const headers = { 'content-type': 'text/csv' };
  const { status, body } = await app.call(`/links/import${query}`, { key, body: text, headers });
  expect([status, body.type]).toEqual([202, 'links.import']);
  return vi.waitFor(async () => {
    const { body: job } = await app.call(`/jobs/${body.id}`, { key });
    expect(['succeeded', 'failed']).toContain(job.state);
    return job;
  }, PATIENCE);
}
const bySlug = async (slug: string, key = home.key) =>
  (await app.call('/links?limit=100', { key })).body.data.find(
    (link: { slug: string }) => link.slug === slug,
  );

describe('import', () => {
  test('makes and changes links, names faults by line, and tells; again it changes nothing', async () => {
    const text = [
      '\ufeffURL;Slug;Title;Tags;max_clicks;expires_at;archived;utm_source;metadata.Team;external_id;shoe size',
      "https://example.com/a;first;'=Title;a1, a2;5;2030-01-01;;mail;blue;;42",
      'https://example.com/b;;;;;;yes;;;ext-1;',
      ';nothing;;;;;;;;;',
      'javascript:alert(1);bad;;;;;;;;;',
      'https://example.com/c;c d;;;;;;;;;',
      'https://example.com/d;ok;;;many;;;;;;',
      'https://example.com/e;api;;;;;;;;;',
      'http://localhost:0/x;loop;;;;;;;;;',
    ].join('\r\n');
    const job = await imported(text);
    expect(job.result).toMatchObject({ created: 2, updated: 0, unchanged: 0, failed: 6 });
    expect(job.result.ignored_columns).toEqual(['shoe size']);
    expect(job.result.faults.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [4, 'required'],
      [5, 'scheme_not_allowed'],
      [6, 'invalid_slug'],
      [7, 'invalid_value'],
      [8, 'slug_reserved'],
      [9, 'link_loop'],
    ]);
    const first = await bySlug('first');
    expect(first).toMatchObject({
      url: 'https://example.com/a',
      title: '=Title',
      tags: ['a1', 'a2'],
      max_clicks: 5,
      expires_at: '2030-01-01T00:00:00.000Z',
      utm: { source: 'mail' },
      metadata: { Team: 'blue' },
      created_by: home.keyId,
    });
    const named = (await call('/links?external_id=ext-1')).body.data[0];
    expect(named.state).toBe('archived');
    const again = await imported(text);
    expect(again.result).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 6 });
    const changed = await imported(
      'slug,url,external_id\nfirst,https://example.com/a2,\nmoved,https://example.com/b,ext-1\n',
    );
    expect(changed.result).toMatchObject({ created: 0, updated: 2 });
    expect(await bySlug('first')).toMatchObject({ url: 'https://example.com/a2', title: '=Title' });
    expect(await bySlug('moved')).toMatchObject({ id: named.id });
    const events = await getEvents(app, toUuid('workspace', home.workspace)!);
    const types = events.filter(({ data }) => data.object.id === named.id).map(({ type }) => type);
    expect(types).toEqual(['link.created', 'link.updated']);
    expect(events.filter(({ type }) => type === 'import.completed')).toHaveLength(3);
  });

  test('of lines that mean one link the last word counts; lines without a name are one link if they are the same', async () => {
    const job = await imported(
      'url,slug\nhttps://example.com/1,twice\nhttps://example.com/2,twice\nhttps://example.com/same,\nhttps://example.com/same,\n',
    );
    expect(job.result).toMatchObject({ created: 2, updated: 1, unchanged: 1, failed: 0 });
    expect((await bySlug('twice')).url).toBe('https://example.com/2');
    const again = await imported('url\nhttps://example.com/same\n');
    expect(again.result).toMatchObject({ created: 0, unchanged: 1 });
  });

  test.each([
    [
      'Dub',
      'Created at,Short link,Destination URL,Clicks,Leads,Conversions,Revenue,Link ID,Updated at,Tags,Archived\n2024-01-01T00:00:00.000Z,https://dub.sh/dub1,https://example.com/x,7,0,0,0,link_1,2024-01-02T00:00:00.000Z,"a, b",No',
      'dub1',
      { tags: ['a', 'b'], state: 'active' },
    ],
    [
      'Shlink (its web client)',
      'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2024-01-01T10:00:00+01:00,s.test,shl1,https://s.test/shl1,https://example.com/x,T,a|b,7',
      'shl1',
      { title: 'T', tags: ['a', 'b'] },
    ],
    [
      'Shlink (its API)',
      'shortCode,shortUrl,longUrl,dateCreated,tags,validUntil,maxVisits,domain,title,forwardQuery\nshl2,https://s.test/shl2,https://example.com/x,2016-08-21T20:34:16+02:00,"games,tech",2099-01-21T00:00:00+02:00,100,,,true',
      'shl2',
      {
        tags: ['games', 'tech'],
        expires_at: '2099-01-20T22:00:00.000Z',
        max_clicks: 100,
        forward_query: true,
      },
    ],
    [
      'Kutt',
      'address,target,link,description,expire_in,password,banned,domain,visit_count,created_at,updated_at,id\nkutt1,https://example.com/x,https://kutt.it/kutt1,D,2099-05-01T00:00:00.000Z,false,false,,7,2024-01-01T00:00:00.000Z,2024-01-01T00:00:00.000Z,3f0c\nkutt2,https://example.com/x,https://kutt.it/kutt2,,,false,true,,7,,,3f0d',
      'kutt2',
      { state: 'archived' },
    ],
    [
      'Kutt, of a link that has expired',
      'address,target,expire_in\nkutt3,https://example.com/x,2024-05-01T00:00:00.000Z',
      'kutt3',
      { state: 'expired' },
    ],
    [
      'Bitly',
      'Title,Long URL,Bitlink,Tags,Total Clicks,Date Created\nT,https://example.com/x,bit.ly/bit1,"a,b",7,2024-01-01',
      'bit1',
      { title: 'T' },
    ],
    [
      'YOURLS',
      'keyword,url,title,timestamp,ip,clicks\nyou1,https://example.com/x,T,2024-01-01 00:00:00,127.0.0.1,7',
      'you1',
      { title: 'T' },
    ],
  ])('reads what %s exports', async (_product, text, slug, more) => {
    // Shlink names the host of each line, which here is not the workspace's.
    const job = await imported(text, text.includes('s.test,') ? '?domain=localhost:0' : '');
    expect(job.result).toMatchObject({ failed: 0, ignored_columns: [] });
    expect(await bySlug(slug)).toMatchObject({
      url: 'https://example.com/x',
      domain: 'localhost:0',
      clicks: 0,
      ...more,
    });
  });

  test('makes no link that had a password, whatever the file says of it, and none at another address', async () => {
    const passwords = ['true', '1', 'open sesame', '$2b$10$hash'];
    const { result } = await imported(
      ['url,slug,password', ...passwords.map((word, nth) => `https://example.com/p,pass${nth},${word}`)].join(
        '\n',
      ),
    );
    expect(result).toMatchObject({ created: 0, failed: 4 });
    expect(result.faults.map(({ code }: { code: string }) => code)).toEqual(
      passwords.map(() => 'password_missing'),
    );
    expect(JSON.stringify(result)).not.toContain('sesame');
    const odd = ['https://dub.sh', 'https://dub.sh/a/b', 'https://dub.sh/%ff', '???'];
    const { result: second } = await imported(
      ['url,Short link', ...odd.map((short) => `https://example.com/odd,${short}`)].join('\n'),
    );
    expect(second).toMatchObject({ created: 0, failed: 4 });
    expect(second.faults[0]).toMatchObject({ line: 2, code: 'invalid_value' });
    expect(second.faults[0].detail).toMatch(/^short_url must be a host and one slug/);
  });

  test('fails for a file without URLs, and says where a domain is unknown', async () => {
    expect(await imported('name\nx\n')).toMatchObject({ state: 'failed', error: { code: 'invalid_file' } });
    const { result } = await imported('url\nhttps://example.com/f\n', '?domain=nobody.example');
    expect(result.faults).toEqual([expect.objectContaining({ line: 2, code: 'unknown_domain' })]);
  });
});

describe('export', () => {
  test('can be imported again without a change; elsewhere it makes the same links, but none that had a password', async () => {
    const otherWorkspace = await startWorkspace(app);
    const createLink = (body: object) => call('/links', body, 'POST', otherWorkspace.key);
    await createLink({
      url: 'https://example.com/full?a=1',
      slug: 'full-one',
      title: '=cmd()',
      description: 'two\nlines, "quoted"',
      image: 'https://example.com/i.png',
      tags: ['x', 'y'],
      expires_at: '2031-05-05T05:05:05.000Z',
      expired_url: 'https://example.com/over',
      max_clicks: 9,
      targeting: [{ when: { country: ['DE'] }, url: 'https://example.com/de' }],
      utm: { source: 's', campaign: 'c' },
      forward_query: true,
      redirect_status: 308,
      external_id: 'e-1',
      metadata: { a: 'b,c' },
    });
    await createLink({ url: 'https://example.com/secret', slug: 'with-word', password: 'open sesame' });
    const made = (await createLink({ url: 'https://example.com/old', slug: 'old-one' })).body;
    await call(`/links/${made.id}`, { archived: true }, 'PATCH', otherWorkspace.key);
    const { status, headers, body } = await call('/links/export', undefined, 'GET', otherWorkspace.key);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(body).toContain(",'=cmd(),");
    expect(body).not.toContain('sesame');
    const again = await imported(body, '', otherWorkspace.key);
    expect(again.result).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 3,
      failed: 0,
      ignored_columns: [],
    });

    const before = (await call('/links?external_id=e-1', undefined, 'GET', otherWorkspace.key)).body.data[0];
    for (const link of (await call('/links', undefined, 'GET', otherWorkspace.key)).body.data)
      await call(`/links/${link.id}`, undefined, 'DELETE', otherWorkspace.key);
    const back = await imported(body, '', otherWorkspace.key);
    expect(back.result).toMatchObject({ created: 2, failed: 1 });
    expect(back.result.faults[0].code).toBe('password_missing');
    const after = (await call('/links?external_id=e-1', undefined, 'GET', otherWorkspace.key)).body.data[0];
    const { id: _, created_at: __, updated_at: ___, ...same } = before;
    expect(after).toMatchObject(same);
    expect((await bySlug('old-one', otherWorkspace.key)).state).toBe('archived');
  });

  test('has what filters let through, page after page', async () => {
    const otherWorkspace = await startWorkspace(app);
    const links = Array.from({ length: 230 }, (_, nth) => ({
      url: `https://example.com/${nth}`,
      tags: [nth % 2 ? 'odd' : 'even'],
    }));
    await call('/links/bulk', { links }, 'POST', otherWorkspace.key);
    const lines = async (query: string) =>
      (await call(`/links/export${query}`, undefined, 'GET', otherWorkspace.key)).body.trim().split('\r\n')
        .length - 1;
    expect(await lines('')).toBe(230);
    expect(await lines('?tag=odd')).toBe(115);
    expect(await lines('?tag=none')).toBe(0);
    const head = await call('/links/export', undefined, 'HEAD', otherWorkspace.key);
    expect(head).toHaveStatus(200);
  });
});
