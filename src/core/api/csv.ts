/**
 * Tables as CSV. Spreadsheet programs run a cell as a formula that begins with = + - @, in some locales also in their
 * full-width and small forms, and may skip blanks and invisible characters before the sign. Such a cell is written after
 * an apostrophe, which reading removes. A cell with apostrophes before such a sign gets one more, so that every text is
 * read as it was written.
 */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { openAnswer } from './stream.ts';

/** A tab or line break is escaped too: a program may read the rest as a separate cell. */
const START = String.raw`(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])`;
const FORMULA = new RegExp(`^'*${START}`, 'u');
const GUARDED = new RegExp(`^'+${START}`, 'u');

export const guardCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
export const readCell = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

/** So that programs for tables see that it is UTF-8. */
const MARK = '\ufeff';
const FORM = { record_delimiter: '\r\n' };

/** Returns the first line of a file: the column names. */
export const csvHead = (columns: readonly string[]): string => MARK + stringify([[...columns]], FORM);

/** Lines of cells; null is an empty cell. */
export const csvLines = (lines: readonly (readonly (string | number | boolean | null)[])[]): string =>
  stringify(
    lines.map((cells) =>
      cells.map((cell) => (typeof cell === 'string' ? guardCell(cell) : cell === null ? '' : String(cell))),
    ),
    FORM,
  );

/**
 * Sends a CSV file page by page: applies backpressure and never buffers the file. If the pages end early, the
 * connection is cut, so that the client notices that the file is incomplete.
 */
export async function sendCsv(
  {
    request,
    reply,
    actor,
    guard,
  }: { request: FastifyRequest; reply: FastifyReply; actor: Actor; guard: Guard },
  fileName: string,
  pages: AsyncIterable<string>,
): Promise<'handled'> {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
  };
  if (request.method === 'HEAD') {
    // An empty stream: Fastify would take the length of anything else.
    void reply.headers(headers).send(Readable.from([]));
    return 'handled';
  }
  const out = openAnswer(reply, { guard, actor, headers });
  const { raw } = reply;
  try {
    for await (const page of pages)
      if (!(await out.write(page))) {
        raw.destroy();
        return 'handled';
      }
    raw.end();
    if (!raw.writableFinished && !raw.closed) await once(raw, 'close');
  } catch (error) {
    raw.destroy();
    reply.log.error({ err: error, request_id: request.id }, 'an export could not be sent to its end');
  } finally {
    out.end();
  }
  return 'handled';
}
