/** `POST /api/v1/publish/{id}` at 32 connections. */
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { succeeded } from '../../test/support/account.ts';
import { writeFigure } from '../support/write-figure.ts';

const TEMPLATE = 'New: {{ payload.title }}, by {{ payload.author | upcase }}';
let endpoint = '';

export const publish = writeFigure({
  path: '/publish',
  pathOfProduct: () => `/publish/${endpoint}`,
  connections: 32,
  leastRatio: 0.5,
  what: 'publish JSON through one endpoint with a destination, whose template is rendered, and which the server does not send yet',
  counterpart:
    'commits the same rows (publication, payload, queue, event) in one statement each, renders and checks nothing',
  bareProgram: 'bench/support/bare-publish.ts',
  async prepare(account) {
    const made = async (path: string, body: object): Promise<string> =>
      ((await (await succeeded(await account.call('POST', path, body))).json()) as { id: string }).id;
    const instance = await made('/instances', { name: 'bench', channel: 'sandbox' });
    await succeeded(await account.call('POST', `/instances/${instance}/connect`, {}));
    endpoint = await made('/publishing-endpoints', {
      name: 'bench',
      auth: { type: 'bearer' },
      destinations: [{ instance_id: instance, to: 'alice', template: TEMPLATE }],
    });
    return { title: 'Hello', author: 'Alice', tags: ['one', 'two'], url: 'https://example.com/hello' };
  },
  async rows({ id: publication }, toRow) {
    const id = toUuid('publication', publication)!;
    return {
      publication: await toRow('publications', 'id', id),
      input: await toRow('publication_inputs', 'publication_id', id),
      queue: await toRow('publication_queue', 'publication_id', id),
      event: await toRow('outbox', 'resource_id', publication),
    };
  },
  async verify(pool, answered) {
    const [{ count, queued }] = (
      await pool.query(
        `select count(*)::int as count, count(q.publication_id)::int as queued
         from publications p left join publication_queue q on q.publication_id = p.id`,
      )
    ).rows;
    if (count < answered.both || queued !== count)
      throw new Error(`${answered.both} answers, ${count} publications, ${queued} in the queue`);
  },
});
