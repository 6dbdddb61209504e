/**
 * The bare counterpart of `POST /api/v1/links`: a Fastify route that commits the rows of a link (link, address,
 * counters, what nodes are told, event, audit entry) in one statement and answers the link. It checks nothing.
 * `node bench/support/bare-links.ts <port> <connection JSON> <rows JSON>`
 */
import Fastify from 'fastify';
import { openPool, type PoolOptions } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId } from '../../src/core/vocabulary/ids.ts';
import { KEEP_ALIVE_MS } from '../../src/platform/http/server.ts';
import { Link } from '../../src/surfaces/links/records/link.schema.ts';
import { generateSlug } from '../../src/surfaces/links/addresses/slug.ts';

const [port = '', connection = '', rows = ''] = process.argv.slice(2);
type Row = Record<string, unknown>;
const template = JSON.parse(rows) as {
  links: Row;
  link_routes: Row;
  link_counters: Row;
  route_changes: Row;
  outbox: Row & { data: { object: Row } };
  audit_log: Row;
};
const pool = openPool({ ...(JSON.parse(connection) as PoolOptions), max: 10 }, () => undefined);

const insert = (table: keyof typeof template, nth: number, but: string[] = []): string => {
  const columns = Object.keys(template[table])
    .filter((name) => !but.includes(name))
    .join(', ');
  return `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $${nth})`;
};
const STATEMENT = `
  with link as (${insert('links', 1)}), route as (${insert('link_routes', 2)}),
    counters as (${insert('link_counters', 3)}), change as (${insert('route_changes', 4, ['n', 'xid', 'created_at'])}),
    entry as (${insert('audit_log', 6)})
  ${insert('outbox', 5, ['n'])}`;

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
app.post('/links', { schema: { response: { 201: Link } } }, async (_request, reply) => {
  const id = newUuid();
  const slug = generateSlug();
  const { object: made } = template.outbox.data;
  const origin = String(made['short_url']).slice(0, -String(made['slug']).length);
  const object = { ...made, id: publicId('link', id), slug, short_url: origin + slug };
  await pool.query(
    STATEMENT,
    [
      { ...template.links, id, slug },
      { ...template.link_routes, link_id: id, slug },
      { ...template.link_counters, link_id: id },
      { ...template.route_changes, slug },
      { ...template.outbox, event_id: newUuid(), resource_id: object.id, data: { object } },
      { ...template.audit_log, id: newUuid(), target_id: object.id },
    ].map((row) => JSON.stringify([row])),
  );
  return reply.code(201).send(object);
});
app.get('/readyz', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
