/** `POST /api/v1/links` at 50 connections. */
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { writeFigure } from '../support/write-figure.ts';

export const links = writeFigure({
  path: '/links',
  connections: 50,
  leastRatio: 0.4,
  what: 'create links with generated slugs',
  counterpart:
    'commits the same rows (link, address, counters, notification of nodes, event, audit entry) in one statement each, and checks nothing',
  bareProgram: 'bench/support/bare-links.ts',
  prepare: async () => ({ url: 'https://example.com/spring?ref=mail' }),
  async rows({ id: link }, toRow) {
    const id = toUuid('link', link)!;
    const made = await toRow('links', 'id', id);
    return {
      links: made,
      link_routes: await toRow('link_routes', 'link_id', id),
      link_counters: await toRow('link_counters', 'link_id', id),
      route_changes: await toRow('route_changes', 'slug', made['slug']),
      outbox: await toRow('outbox', 'resource_id', link),
      audit_log: await toRow('audit_log', 'target_id', link),
    };
  },
  async verify(pool, answered) {
    const [counted] = (
      await pool.query(`
        select (select count(*)::int from links) as links, (select count(*)::int from link_routes) as routes,
          (select count(*)::int from link_counters) as counters, (select count(*)::int from route_changes) as changes,
          (select count(*)::int from outbox where type = 'link.created') as events,
          (select count(*)::int from audit_log where action = 'links.create') as entries
      `)
    ).rows;
    if (new Set(Object.values(counted)).size !== 1)
      throw new Error(`links are not whole: ${JSON.stringify(counted)}`);
    if (counted.links < answered.both) throw new Error(`${answered.both} answers, ${counted.links} links`);
  },
});
