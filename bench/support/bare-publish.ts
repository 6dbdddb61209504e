/**
 * The bare counterpart of `POST /api/v1/publish/{id}`: a Fastify route that commits the rows of a publication (publication,
 * payload, queue, event) in one statement and answers the publication. It renders nothing and checks nothing.
 * `node bench/support/bare-publish.ts <port> <connection JSON> <rows JSON>`
 */
import Fastify from 'fastify';
import { Publication } from '../../src/surfaces/automation/publications/records/publication.schema.ts';
import { openPool, type PoolOptions } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId } from '../../src/core/vocabulary/ids.ts';
import { KEEP_ALIVE_MS } from '../../src/platform/http/server.ts';

const [port = '', connection = '', rows = ''] = process.argv.slice(2);
const template = JSON.parse(rows) as {
  publication: Record<string, unknown>;
  input: Record<string, unknown>;
  queue: Record<string, unknown>;
  event: Record<string, unknown> & { data: { object: Record<string, unknown> } };
};
const pool = openPool({ ...(JSON.parse(connection) as PoolOptions), max: 10 }, () => undefined);

const columns = (row: object, but: string[] = []): string =>
  Object.keys(row)
    .filter((name) => !but.includes(name))
    .join(', ');
const insert = (table: string, row: object, parameter: number, but: string[] = []): string => {
  const names = columns(row, but);
  return `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $${parameter})`;
};
const STATEMENT = `
  with publication as (${insert('publications', template.publication, 1)}),
  input as (${insert('publication_inputs', template.input, 2)}),
  queue as (${insert('publication_queue', template.queue, 3)})
  ${insert('outbox', template.event, 4, ['n'])}`;

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
app.post('/publish', { schema: { response: { 202: Publication } } }, async (request, reply) => {
  const id = newUuid();
  const object = { ...template.event.data.object, id: publicId('publication', id) };
  await pool.query(STATEMENT, [
    JSON.stringify([{ ...template.publication, id }]),
    JSON.stringify([{ ...template.input, publication_id: id, payload: request.body }]),
    JSON.stringify([{ ...template.queue, publication_id: id }]),
    JSON.stringify([{ ...template.event, event_id: newUuid(), resource_id: object.id, data: { object } }]),
  ]);
  return reply.code(202).send(object);
});
app.get('/readyz', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
