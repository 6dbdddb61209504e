/** Contacts as CSV, page by page: what is written waits for who reads, and never stands whole in memory. */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Unit } from '../../db/unit.ts';
import { publicId } from '../../http/ids.ts';
import type { OpenAnswer } from '../../http/stream.ts';
import { csvHead, csvLines } from './contact-csv.ts';
import { type ContactFilter, cursorOf, listContacts } from './contact-list.store.ts';
import { presentContact } from './contact-present.ts';
import { instanceNames } from './contact-import.store.ts';

const PAGE = 500;

async function* pages(unit: Unit, workspaceId: string, filter: ContactFilter): AsyncGenerator<string> {
  yield csvHead();
  const names = new Map<string, string>();
  for (let after: string | null = null; ;) {
    const { rows, windowEnd } = await listContacts(unit.db, workspaceId, { limit: PAGE, after }, filter);
    const shown = rows.slice(0, PAGE).map(presentContact);
    const ids = rows.flatMap(({ identities }) => identities.map((one) => one.instance_id));
    const unknown = [...new Set(ids)].filter((id) => !names.has(publicId('instance', id)));
    for (const { id, name } of await instanceNames(unit.db, workspaceId, unknown))
      names.set(publicId('instance', id), name);
    if (shown.length) yield csvLines(shown, names);
    after = rows.length > PAGE ? cursorOf(rows[PAGE - 1]!) : windowEnd;
    if (after === null) return;
  }
}

/** Writes all that match. One that ends early is cut off, so that its reader sees that it is not whole. */
export async function exportContacts(
  unit: Unit,
  workspaceId: string,
  filter: ContactFilter,
  reply: FastifyReply,
  out: OpenAnswer,
): Promise<void> {
  const { raw } = reply;
  try {
    for await (const page of pages(unit, workspaceId, filter))
      if (!(await out.write(page))) return void raw.destroy();
    raw.end();
    if (!raw.writableFinished && !raw.closed) await once(raw, 'close');
  } catch (error) {
    raw.destroy();
    reply.log.error({ err: error, request_id: reply.request.id }, 'an export could not be sent to its end');
  } finally {
    out.end();
  }
}
