/** Looking up sent messages in archives, some of which behave as real ones rarely do. */
import { describe, expect, test } from 'vitest';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId } from '../../core/vocabulary/ids.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Archive, ArchivedStanza, ArchiveQuery } from './session/archive.ts';
import { lookUp } from './lookup.ts';
import { HER, ME, toStanza } from '../../../test/support/channels/xmpp/stanza.ts';
import { scriptedStream } from '../../../test/support/channels/xmpp/scripted-stream.ts';

const direct = { kind: 'direct', key: HER, address: HER } as const;
const group = { kind: 'group', key: 'coven@rooms.lit', address: 'coven@rooms.lit' } as const;
const at = new Date();
const soon = () => AbortSignal.timeout(10_000);
const entry = (id: string, from: string, stanzaId = id): ArchivedStanza => ({
  id,
  at,
  stanza: toStanza(`<message from='${from}' id='${stanzaId}'><body>x</body></message>`),
});

/** @param entries oldest first */
function getArchive(entries: ArchivedStanza[]) {
  const queries: ArchiveQuery[] = [];
  const archive: Archive = {
    async page(query) {
      queries.push(query);
      const until = query.before ? entries.findIndex(({ id }) => id === query.before) : entries.length;
      const page = entries.slice(Math.max(0, until - query.max), until);
      const ends = { first: page[0]?.id ?? null, last: page.at(-1)?.id ?? null };
      return { entries: page, isComplete: until <= query.max, ...ends };
    },
  };
  return { archive, queries };
}

const prefs = (policy: string, never = '') =>
  scriptedStream(ME, async () =>
    toStanza(
      `<prefs xmlns='urn:xmpp:mam:2' default='${policy}'><always/><never>${never && `<jid>${never}</jid>`}</never></prefs>`,
    ),
  );
const deps = (archive: Archive | null, stream = prefs('always'), ofRoom: Archive | null = null) => ({
  stream,
  archive,
  getArchive: async () => ofRoom,
});
const others = Array.from({ length: 120 }, (_, nth) => entry(`e${nth}`, `${HER}/x`));

describe('lookUp', () => {
  test('searches from the newest entry back to the time of the ID', async () => {
    const clientId = publicId('message', newUuid());
    const ours = entry('mine', `${ME}/x`, clientId);
    const { archive, queries } = getArchive([...others.slice(0, 40), ours, ...others.slice(40)]);
    expect(await lookUp(deps(archive), clientId, direct, soon())).toEqual({
      externalId: clientId,
      status: 'sent',
      at,
    });
    expect(queries.map(({ before, with: whom }) => [before, whom])).toEqual([
      ['', HER],
      ['e70', HER],
    ]);
    const margin = Date.now() - queries[0]!.start!.getTime();
    expect(margin).toBeGreaterThanOrEqual(600_000);
    expect(margin).toBeLessThan(660_000);
  });

  test('ignores messages by others with the same ID', async () => {
    const clientId = publicId('message', newUuid());
    const { archive } = getArchive([...others, entry('forged', `${HER}/x`, clientId)]);
    expect(await lookUp(deps(archive), clientId, direct, soon())).toBeNull();
  });

  test('returns the room’s ID of a message in a room', async () => {
    const clientId = publicId('message', newUuid());
    const { archive } = getArchive([...others, entry('S1', `${group.address}/me`, clientId)]);
    expect(await lookUp(deps(null, prefs('never'), archive), clientId, group, soon())).toMatchObject({
      externalId: 'S1',
    });
    const { archive: without } = getArchive(others);
    expect(await lookUp(deps(null, prefs('never'), without), clientId, group, soon())).toBeNull();
    // The form of the engine's names for messages of other chats.
    const { archive: hostile } = getArchive([entry(`${HER} m1`, `${group.address}/me`, clientId)]);
    expect(await lookUp(deps(null, prefs('never'), hostile), clientId, group, soon())).toMatchObject({
      externalId: null,
      status: 'sent',
    });
  });

  test('returns unknown if no archive would store it, may be read, or ends in time', async () => {
    const clientId = publicId('message', newUuid());
    const { archive } = getArchive(others);
    const forbidden: Archive = {
      page: () => Promise.reject(new DriverError('rejected', 'forbidden', 'Not allowed.')),
    };
    const endless: Archive = {
      page: async ({ before }) => ({ entries: [], isComplete: false, first: `${before}x`, last: null }),
    };
    for (const [given, chat] of [
      [deps(null), direct],
      [deps(archive), group],
      [deps(archive, prefs('never')), direct],
      [deps(archive, prefs('roster')), direct],
      [deps(archive, prefs('always', HER)), direct],
      [deps(forbidden), direct],
      [deps(endless), direct],
    ] as const)
      expect(await lookUp(given, clientId, chat, soon())).toBe('unknown');
    expect(await lookUp(deps(archive), 'no id of ours', direct, soon())).toBe('unknown');
  });

  test('fails if the archive does not respond', async () => {
    const silent: Archive = {
      page: () => Promise.reject(new DriverError('unknown', 'no_answer', 'No answer.')),
    };
    await expect(lookUp(deps(silent), publicId('message', newUuid()), direct, soon())).rejects.toMatchObject({
      kind: 'unknown',
    });
  });
});
