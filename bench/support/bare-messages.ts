/**
 * The bare counterpart of `POST /api/v1/messages`: a Fastify route that commits the rows of a message (message, queue,
 * event) in one statement and answers the message. It checks nothing, locks nothing that others want, and numbers from
 * memory. `node bench/support/bare-messages.ts <port> <connection JSON> <rows JSON>`
 */
import Fastify from 'fastify';
import { Message } from '../../src/surfaces/messaging/records/message.schema.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId } from '../../src/core/vocabulary/ids.ts';
import { KEEP_ALIVE_MS } from '../../src/platform/http/server.ts';
import { openPool, type PoolOptions } from '../../src/platform/db/database.ts';

const [port = '', connection = '', rows = ''] = process.argv.slice(2);
const template = JSON.parse(rows) as {
  message: Record<string, unknown>;
  queue: Record<string, unknown>;
  event: Record<string, unknown> & { data: { object: Record<string, unknown> } };
};
const pool = openPool({ ...(JSON.parse(connection) as PoolOptions), max: 10 }, () => undefined);
let number = 1_000_000;

const columns = (row: object, but: string[] = []): string =>
  Object.keys(row)
    .filter((name) => !but.includes(name))
    .join(', ');
const message = columns(template.message);
const queue = columns(template.queue);
const event = columns(template.event, ['n']);
const STATEMENT = `
  with message as (
    insert into messages (${message}) select ${message} from json_populate_recordset(null::messages, $1)
  ), queue as (
    insert into send_queue (${queue}) select ${queue} from json_populate_recordset(null::send_queue, $2)
  )
  insert into outbox (${event}) select ${event} from json_populate_recordset(null::outbox, $3)`;

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
app.post('/messages', { schema: { response: { 202: Message } } }, async (_request, reply) => {
  const id = newUuid();
  const object = { ...template.event.data.object, id: publicId('message', id), sequence: ++number };
  await pool.query(STATEMENT, [
    JSON.stringify([{ ...template.message, id, sequence: number }]),
    JSON.stringify([{ ...template.queue, id, message_id: id, position: number }]),
    JSON.stringify([{ ...template.event, event_id: newUuid(), resource_id: object.id, data: { object } }]),
  ]);
  return reply.code(202).send(object);
});
app.get('/readyz', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
