/** The archive of an account or a room (XEP-0313) as the server keeps it: what counts as sent and as arrived. */
import { randomUUID } from 'node:crypto';
import { xml } from '@xmpp/client';
import type { Element } from '@xmpp/xml';
import { ask, type Link, openSession, type Server } from './session.ts';
import type { XmppUser } from './xmpp-server.ts';

const MAM = 'urn:xmpp:mam:2';
const RSM = 'http://jabber.org/protocol/rsm';
const PAGE = 50;

export interface ArchiveEntry {
  /** The archive's own name of it. */
  id: string;
  message: Element;
}

/**
 * All of it, oldest first.
 * @param of a room; null for the account's own
 * @param after the ID of an entry; null to begin with the first
 */
export async function readArchive(
  link: Link,
  of: string | null = null,
  after: string | null = null,
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (;;) {
    const queryid = randomUUID();
    const take = (stanza: Element): void => {
      const result = stanza.getChild('result', MAM);
      if (result?.attrs['queryid'] !== queryid) return;
      const forwarded = result.getChild('forwarded', 'urn:xmpp:forward:0');
      entries.push({ id: result.attrs['id'] as string, message: forwarded!.getChild('message') as Element });
    };
    link.on('stanza', take);
    const last = entries.at(-1)?.id ?? after;
    const fin = await ask(
      link,
      'set',
      of,
      xml(
        'query',
        { xmlns: MAM, queryid },
        xml(
          'set',
          { xmlns: RSM },
          xml('max', {}, String(PAGE)),
          ...(last === null ? [] : [xml('after', {}, last)]),
        ),
      ),
    ).finally(() => link.off('stanza', take));
    if (fin!.attrs['complete'] === 'true') return entries;
  }
}

/** The ID of the last entry of the same; null where there is none. */
export async function getLast(link: Link, of: string | null): Promise<string | null> {
  const page = xml('set', { xmlns: RSM }, xml('max', {}, '1'), xml('before'));
  const fin = await ask(link, 'set', of, xml('query', { xmlns: MAM, queryid: randomUUID() }, page));
  return fin!.getChild('set', RSM)?.getChildText('last') || null;
}

/** All of it, by a connection of its own, to which no messages go. */
export async function readArchiveFor(
  server: Server,
  user: XmppUser,
  of: string | null = null,
): Promise<ArchiveEntry[]> {
  const session = openSession(server, user, {
    resource: `reader-${randomUUID()}`,
    onStanza: () => undefined,
  });
  try {
    return await session.insist((link) => readArchive(link, of));
  } finally {
    await session.close();
  }
}
