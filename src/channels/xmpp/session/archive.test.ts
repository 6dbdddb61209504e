/** Archive requests, and which responses are accepted. */
import type { Element } from '@xmpp/xml';
import { describe, expect, test } from 'vitest';
import { createArchive } from './archive.ts';
import { ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import {
  type ScriptedStream,
  scriptedStream,
} from '../../../../test/support/channels/xmpp/scripted-stream.ts';

const MAM = 'urn:xmpp:mam:2';
const ROOM = 'coven@rooms.lit';

const entry = (queryId: string, id: string, from = '') =>
  toStanza(
    `<message to='${ME}/x'${from}><result xmlns='${MAM}' queryid='${queryId}' id='${id}'><forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-01-02T03:04:05Z'/><message xmlns='jabber:client' from='a@b.lit' id='x${id}'><body>hi</body></message></forwarded></result></message>`,
  );
const fin = (complete: boolean) => toStanza(`<fin xmlns='${MAM}'${complete ? " complete='true'" : ''}/>`);

/** @param answer sends entries before the response */
async function ask(of: string, answer: (stream: ScriptedStream, queryId: string) => void) {
  const asked: Element[] = [];
  const stream = scriptedStream(
    ME,
    async (payload) => {
      asked.push(payload);
      answer(stream, String(payload.attrs['queryid']));
      return fin(true);
    },
    [MAM],
  );
  const archive = (await createArchive(stream, of))!;
  const page = await archive.page({ after: 'a0', start: new Date(0), with: 'her@b.lit', max: 2 });
  return { page, asked, stream };
}

describe('an archive', () => {
  test('is null if the server has none with stable IDs', async () => {
    expect(await createArchive(scriptedStream(ME, undefined, ['urn:xmpp:mam:1']), ME)).toBeNull();
  });

  test('is asked for a page after an entry with a form', async () => {
    const { asked } = await ask(ME, () => undefined);
    const fields = asked[0]!.getChild('x')!.getChildren('field');
    expect(fields.map(({ attrs }) => attrs['var'] as string)).toEqual(['FORM_TYPE', 'with', 'start']);
    expect(fields[2]!.getChildText('value')).toBe('1970-01-01T00:00:00.000Z');
    const set = asked[0]!.getChild('set', 'http://jabber.org/protocol/rsm')!;
    expect([set.getChildText('max'), set.getChildText('after')]).toEqual(['2', 'a0']);
  });

  test('returns forwarded stanzas with the archive’s IDs and times', async () => {
    const { page } = await ask(ME, (stream, queryId) => {
      expect(stream.receive(entry(queryId, '1'))).toBe(true);
      expect(stream.receive(entry(queryId, '2', ` from='${ME}'`))).toBe(true);
    });
    expect(page).toMatchObject({ isComplete: true, first: '1', last: '2' });
    expect(
      page.entries.map(({ id, at, stanza }) => [id, at.toISOString(), stanza.attrs['id'] as string]),
    ).toEqual([
      ['1', '2026-01-02T03:04:05.000Z', 'x1'],
      ['2', '2026-01-02T03:04:05.000Z', 'x2'],
    ]);
  });

  test('ignores entries from other senders and entries without a request', async () => {
    const { page, stream } = await ask(ME, (open, queryId) => {
      expect(open.receive(entry(queryId, '1', " from='mallory@b.lit'"))).toBe(false);
      expect(open.receive(entry(queryId, '2', ` from='${ME}/other'`))).toBe(false);
      expect(open.receive(entry('another question', '3'))).toBe(false);
    });
    expect(page.entries).toEqual([]);
    expect(stream.receive(entry('any', '4'))).toBe(false);
    const room = await ask(ROOM, (open, queryId) => {
      // Entries of a room must be from its bare address.
      expect(open.receive(entry(queryId, '1'))).toBe(false);
      expect(open.receive(entry(queryId, '2', ` from='${ROOM}/mallory'`))).toBe(false);
      expect(open.receive(entry(queryId, '3', ` from='${ROOM}'`))).toBe(true);
    });
    expect(room.page.entries.map(({ id }) => id)).toEqual(['3']);
  });

  test('that sends too many entries is rejected', async () => {
    const flood = ask(ME, (stream, queryId) => {
      for (let nth = 0; nth < 1_000; nth++) stream.receive(entry(queryId, String(nth)));
    });
    await expect(flood).rejects.toMatchObject({ kind: 'lost', code: 'invalid_archive' });
  });

  test('skips incomplete entries', async () => {
    const { page } = await ask(ME, (stream, queryId) => {
      stream.receive(toStanza(`<message><result xmlns='${MAM}' queryid='${queryId}'/></message>`));
      stream.receive(
        toStanza(
          `<message><result xmlns='${MAM}' queryid='${queryId}' id='1'><forwarded xmlns='urn:xmpp:forward:0'/></result></message>`,
        ),
      );
    });
    expect(page).toMatchObject({ entries: [], last: null });
  });
});
