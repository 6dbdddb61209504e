/** `POST /api/v1/messages` at 32 connections. */
import { succeeded } from '../../test/support/account.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { writeFigure } from '../support/write-figure.ts';

export const messages = writeFigure({
  path: '/messages',
  connections: 32,
  leastRatio: 0.5,
  what: 'send texts from one instance to one contact, which the server accepts and does not send',
  counterpart:
    'commits the same rows (message, queue, event) in one statement each, checks nothing and shares no lock',
  bareProgram: 'bench/support/bare-messages.ts',
  async prepare(account) {
    const made = await succeeded(
      await account.call('POST', '/instances', { name: 'bench', channel: 'sandbox' }),
    );
    const { id } = (await made.json()) as { id: string };
    await succeeded(await account.call('POST', `/instances/${id}/connect`, {}));
    return { instance_id: id, to: 'alice', type: 'text', text: { body: 'Hi Alice, it is on its way.' } };
  },
  async rows({ id: message }, toRow) {
    const id = toUuid('message', message)!;
    return {
      message: await toRow('messages', 'id', id),
      queue: await toRow('send_queue', 'id', id),
      event: await toRow('outbox', 'resource_id', message),
    };
  },
  async verify(pool, answered) {
    // In an unbroken row of numbers; those of the bare route begin far behind.
    const [{ count, last }] = (
      await pool.query(
        `select count(*)::int as count, max(sequence)::int as last from messages where sequence < 1000000`,
      )
    ).rows;
    if (count !== last) throw new Error(`${count} messages, numbered to ${last}`);
    if (count < answered.product) throw new Error(`${answered.product} answers, ${count} messages`);
  },
});
