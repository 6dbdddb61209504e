/**
 * Reads archives (XEP-0313) of the account and of rooms. Entries are accepted only in response to a request, from the
 * archive's address and with the request's ID, while the request is pending.
 *
 * Other handlers ignore stanzas with a `<result/>` of an archive: the handler that reads them exists only during a
 * request, and is called last.
 */
import { randomUUID } from 'node:crypto';
import xml, { type Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import { readBare } from '../wire/address.ts';
import { getAttribute, getChild, idIn, ownChild, timeIn } from '../stanza/elements.ts';
import { NS } from '../stanza/namespaces.ts';
import type { XmppStream } from './stream.ts';

export interface ArchivedStanza {
  /** The permanent ID in this archive. */
  id: string;
  /** When it arrived, by the archive's clock. */
  at: Date;
  /** The original stanza. */
  stanza: Element;
}

export interface ArchivePage {
  /** Oldest first. */
  entries: ArchivedStanza[];
  /** Whether there are no more entries in the direction of the request. */
  isComplete: boolean;
  /** The ID of the first entry, even if no stanza of the page could be read; null if the page is empty. */
  first: string | null;
  last: string | null;
}

export interface ArchiveQuery {
  /**
   * Entries after this one, oldest first.
   * @throws DriverError rejected `item_not_found` if it does not exist (anymore)
   */
  after?: string;
  /** The newest entries before this one; empty for the newest of all. */
  before?: string;
  /** Excludes older entries. */
  start?: Date;
  /** Only entries with this address. For the account's own archive only. */
  with?: string;
  max: number;
}

export interface Archive {
  /** @throws DriverError */
  page(query: ArchiveQuery, signal?: AbortSignal): Promise<ArchivePage>;
}

/** How many entries more than requested an archive may send. */
const MAX_OVER = 50;

function writeQuery(queryId: string, { after, before, start, with: whom, max }: ArchiveQuery): Element {
  const field = (name: string, value: string, type: object = {}): Element =>
    xml('field', { var: name, ...type }, xml('value', {}, value));
  const fields = [
    ...(whom === undefined ? [] : [field('with', whom)]),
    ...(start === undefined ? [] : [field('start', start.toISOString())]),
  ];
  const form = [field('FORM_TYPE', NS.mam, { type: 'hidden' }), ...fields];
  return xml(
    'query',
    { xmlns: NS.mam, queryid: queryId },
    ...(fields.length ? [xml('x', { xmlns: NS.form, type: 'submit' }, ...form)] : []),
    xml(
      'set',
      { xmlns: NS.rsm },
      xml('max', {}, String(max)),
      ...(after === undefined ? [] : [xml('after', {}, after)]),
      ...(before === undefined ? [] : [xml('before', {}, ...(before === '' ? [] : [before]))]),
    ),
  );
}

/** Returns the forwarded stanza (XEP-0297) and its original time. */
export function forwarded(wrapper: Element): { stanza: Element; at: Date | null } | null {
  const inside = getChild(wrapper, 'forwarded', NS.forward);
  const stanza = inside && (getChild(inside, 'message', NS.client) ?? ownChild(inside, 'message'));
  const delay = inside && getChild(inside, 'delay', NS.delay);
  return stanza ? { stanza, at: delay && timeIn(delay) } : null;
}

const toText = (element: Element | null, name: string): string | null =>
  (element && getChild(element, name, NS.rsm)?.getText()) || null;

/** Whether a stanza has the form of an archive entry, regardless of its sender and whether it was requested. */
export const isArchiveResult = (stanza: Element): boolean => getChild(stanza, 'result', NS.mam) !== null;

/**
 * @param of the bare address of the account, or of a room
 * @returns null if it keeps none with stable IDs
 * @throws DriverError
 */
export async function createArchive(stream: XmppStream, of: string): Promise<Archive | null> {
  if (!(await stream.features(of)).has(NS.mam)) return null;
  const isOwn = of === stream.account;

  /** Collects the entries of a response while the request is pending. */
  const gather = (queryId: string, max: number) => {
    const entries: ArchivedStanza[] = [];
    let isFlooded = false;
    const stop = stream.onStanza((stanza) => {
      const result = stanza.getName() === 'message' ? getChild(stanza, 'result', NS.mam) : null;
      if (!result || getAttribute(result, 'queryid') !== queryId) return false;
      const from = getAttribute(stanza, 'from');
      if (from === null ? !isOwn : readBare(from) !== of || from.includes('/')) return false;
      const id = idIn(result);
      const found = forwarded(result);
      if (entries.length === max) isFlooded = true;
      else if (id !== null && found) entries.push({ id, at: found.at ?? new Date(), stanza: found.stanza });
      return true;
    });
    return { entries, stop, isFlooded: () => isFlooded };
  };

  return {
    async page(query, signal) {
      const queryId = randomUUID();
      const gathered = gather(queryId, query.max + MAX_OVER);
      try {
        const payload = writeQuery(queryId, query);
        const answer = await stream.ask({ to: isOwn ? null : of, type: 'set', payload }, signal);
        if (gathered.isFlooded())
          throw new DriverError('lost', 'invalid_archive', 'The archive sends more than was asked for.');
        const set = answer && getChild(answer, 'set', NS.rsm);
        const { entries } = gathered;
        return {
          entries,
          isComplete: answer !== null && getAttribute(answer, 'complete') === 'true',
          first: toText(set, 'first') ?? entries[0]?.id ?? null,
          last: toText(set, 'last') ?? entries.at(-1)?.id ?? null,
        };
      } finally {
        gathered.stop();
      }
    },
  };
}
