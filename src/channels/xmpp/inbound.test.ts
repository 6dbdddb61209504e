/** Order, copies, and refetching of dropped messages, with a server that does what real ones rarely do. */
import type { Element } from '@xmpp/xml';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Signal } from '../contract/signal.ts';
import type { Archive, ArchivedStanza, ArchiveQuery } from './session/archive.ts';
import { createInbound } from './inbound.ts';
import { HER, ME, toStanza } from '../../../test/support/channels/xmpp/stanza.ts';
import { createTelling } from './session/telling.ts';
import { scriptedStream } from '../../../test/support/channels/xmpp/scripted-stream.ts';

const words = (id: string, more = '') => `<body>${id}</body><request xmlns='urn:xmpp:receipts'/>${more}`;
const named = (id: string) => `<stanza-id xmlns='urn:xmpp:sid:0' by='${ME}' id='${id}'/>`;
const hers = (id: string, more = '') =>
  toStanza(`<message from='${HER}/x' to='${ME}' type='chat' id='m-${id}'>${words(id, more)}</message>`);
const live = (id: string) => hers(id, named(id));

/** Creates an archive with one text message per ID. */
function getArchive(ids: string[]) {
  const queries: ArchiveQuery[] = [];
  const entry = (id: string, nth: number): ArchivedStanza => ({
    id,
    at: new Date(Date.UTC(2026, 0, 1, 0, nth)),
    stanza: hers(id),
  });
  const archive: Archive = {
    async page(query) {
      queries.push(query);
      const { after, before, start: since, max } = query;
      const all = ids.map(entry).filter(({ at }) => !since || at >= since);
      if (after !== undefined && !ids.includes(after))
        throw new DriverError('rejected', 'item_not_found', 'There is none of that name.');
      const until = before === undefined || before === '' ? all.length : ids.indexOf(before);
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const found =
        before === undefined ? all.slice(from, from + max) : all.slice(Math.max(0, until - max), until);
      const isComplete = before === undefined ? from + max >= all.length : until - max <= 0;
      return { entries: found, isComplete, first: found[0]?.id ?? null, last: found.at(-1)?.id ?? null };
    },
  };
  return { archive, ids, queries };
}

interface Given {
  archive?: Archive | null;
  position?: { archive: string | null; archiveAt?: string; isToldLive?: boolean };
  hasCopies?: boolean;
  emit?: (signals: Signal[]) => Promise<void>;
  onInvitation?: (stanza: Element) => boolean;
}

function start({
  archive = null,
  position = { archive: null },
  emit = async () => undefined,
  onInvitation,
  hasCopies = true,
}: Given) {
  const stream = scriptedStream(ME);
  const told: Signal[] = [];
  const stored = { position: { ...position, rooms: {} } as { archive: string | null } };
  const faults: unknown[] = [];
  const warned: string[] = [];
  const log = { debug: () => undefined, warn: (_: object, message: string) => void warned.push(message) };
  const telling = createTelling(
    {
      position: { ...position, rooms: {} },
      async emit(signals, next) {
        await emit(signals);
        told.push(...signals);
        if (next !== undefined) stored.position = next as never;
      },
    },
    (fault) => faults.push(fault),
  );
  const inbound = createInbound({
    stream,
    telling,
    context: { log },
    archive,
    hasCopies: () => hasCopies,
    retryMs: [1, 1],
    ...(onInvitation && { onInvitation }),
    onFault: (fault) => faults.push(fault),
  });
  stream.onStanza(inbound.handle);
  onTestFinished(() => inbound.stop());
  const texts = () => told.flatMap((signal) => (signal.kind === 'message' ? [signal.text] : [signal.kind]));
  const acknowledged = () =>
    stream.sent.map((stanza) => stanza.getChild('received', 'urn:xmpp:receipts')?.attrs['id'] as string);
  return { stream, inbound, told, texts, stored, faults, warned, acknowledged };
}

describe('receiving', () => {
  test('emits nothing before it has caught up, then each message once in order', async () => {
    const { archive, ids } = getArchive(['a1', 'a2']);
    const { stream, inbound, texts, stored } = start({ archive, position: { archive: 'a1' } });
    // It arrived live after it was archived.
    ids.push('a3');
    stream.receive(live('a3'));
    stream.receive(live('a4'));
    expect(texts()).toEqual([]);
    await inbound.catchUp();
    expect(texts()).toEqual(['a2', 'a3', 'a4']);
    expect(stored.position.archive).toBe('a4');
  });

  test('reads all pages', async () => {
    const { archive, ids } = getArchive(Array.from({ length: 180 }, (_, nth) => `a${nth}`));
    const { inbound, texts, stored } = start({ archive, position: { archive: 'a0' } });
    await inbound.catchUp();
    expect(texts()).toEqual(ids.slice(1));
    expect(stored.position.archive).toBe('a179');
  });

  test('starts at the end of the archive without losing a live message', async () => {
    const { archive } = getArchive(['old', 'a1']);
    // It arrived just before the newest archive entry was requested.
    const { stream, inbound, texts, stored } = start({ archive });
    stream.receive(live('a1'));
    await inbound.catchUp();
    expect(texts()).toEqual(['a1']);
    expect(stored.position.archive).toBe('a1');
  });

  test('emits all entries of an archive that was empty at the start', async () => {
    const { archive, ids } = getArchive([]);
    const first = start({ archive });
    await first.inbound.catchUp();
    expect(first.stored.position.archive).toBe('');
    ids.push('a1');
    const second = start({ archive, position: { archive: '' } });
    await second.inbound.catchUp();
    expect(second.texts()).toEqual(['a1']);
  });

  test('resumes by time if the archive has deleted the entry, and at the end if no time is known', async () => {
    const { archive } = getArchive(['a0', 'a1', 'a2']);
    const position = { archive: 'gone', archiveAt: '2026-01-01T00:11:00.000Z' };
    const { inbound, texts, warned } = start({ archive, position });
    await inbound.catchUp();
    expect(texts()).toEqual(['a1', 'a2']);
    expect(warned).toHaveLength(1);
    const other = start({ archive, position: { archive: 'gone' } });
    await other.inbound.catchUp();
    expect([other.texts(), other.stored.position.archive]).toEqual([[], 'a2']);
  });

  test('emits live messages and keeps the position if the archive may not be read', async () => {
    const archive: Archive = {
      page: () => Promise.reject(new DriverError('rejected', 'forbidden', 'Not allowed.')),
    };
    const { stream, inbound, texts, stored, faults } = start({ archive, position: { archive: 'a1' } });
    await inbound.catchUp();
    stream.receive(live('b1'));
    await vi.waitFor(() => expect(texts()).toEqual(['b1']), PATIENCE);
    expect([stored.position.archive, faults]).toEqual(['a1', []]);
  });

  const failing = (of: Archive, faults: DriverError[]): Archive => ({
    page: (query) => {
      const fault = faults.shift();
      return fault ? Promise.reject(fault) : of.page(query);
    },
  });
  const refusal = (code: string) => new DriverError('rejected', code, 'No.');

  test('retries if the archive could not be read, and emits nothing until then', async () => {
    const { archive } = getArchive(['a1', 'a2', 'a3']);
    const faults = [refusal('refused_by_server'), new DriverError('busy', 'resource_constraint', 'Later.')];
    const { stream, inbound, texts, stored } = start({
      archive: failing(archive, faults),
      position: { archive: 'a1' },
    });
    stream.receive(live('a3'));
    await inbound.catchUp();
    expect([texts(), stored.position.archive]).toEqual([['a2', 'a3'], 'a3']);
  });

  test('fails without emitting anything if the archive stays unreadable', async () => {
    const faults = Array.from({ length: 9 }, () => refusal('refused_by_server'));
    const {
      stream,
      inbound,
      told: signals,
    } = start({
      archive: failing(getArchive(['a1', 'a2']).archive, faults),
      position: { archive: 'a1' },
    });
    stream.receive(live('a2'));
    await expect(inbound.catchUp()).rejects.toMatchObject({ kind: 'lost', code: 'refused_by_server' });
    expect([signals, faults.length]).toEqual([[], 6]);
  });

  test('names messages that were emitted live the same once the archive can be read again', async () => {
    const { archive, ids } = getArchive(['a1', 'a2', 'a3']);
    const first = start({ archive: failing(archive, [refusal('forbidden')]), position: { archive: 'a1' } });
    first.stream.receive(live('a2'));
    await first.inbound.catchUp();
    first.stream.receive(live('a3'));
    await vi.waitFor(() => expect(first.texts()).toEqual(['a2', 'a3']), PATIENCE);
    expect(first.stored.position).toMatchObject({ archive: 'a1', isToldLive: true });

    ids.push('a4');
    const second = start({ archive, position: first.stored.position });
    await second.inbound.catchUp();
    const names = ({ told: signals }: typeof first) =>
      signals.map((signal) => (signal as { uniqueId?: string }).uniqueId);
    expect(second.texts()).toEqual(['a2', 'a3', 'a4']);
    expect(names(second).slice(0, 2)).toEqual(names(first));
    expect(second.stored.position).toEqual({
      archive: 'a4',
      archiveAt: expect.any(String) as string,
      rooms: {},
    });
    // a4 was in the page already; a5 is new and has the archive's name.
    for (const id of ['a4', 'a5']) second.stream.receive(live(id));
    await vi.waitFor(() => expect(second.texts()).toEqual(['a2', 'a3', 'a4', 'a5']), PATIENCE);
    expect(names(second)[3]).toBe(`at:${ME} a5`);
  });

  test('a missing archive is remembered only if there was one before', async () => {
    const first = start({ position: { archive: 'a1' } });
    await first.inbound.catchUp();
    expect(first.stored.position).toMatchObject({ archive: 'a1', isToldLive: true });
    const never = start({});
    await never.inbound.catchUp();
    expect(never.stored.position.archive).toBeNull();
  });

  test('starts at the newest entry if a waiting message has a forged name', async () => {
    const { archive } = getArchive(['old', 'a1']);
    const strict: Archive = {
      page: (query) =>
        query.before === 'forged' ? Promise.reject(refusal('item_not_found')) : archive.page(query),
    };
    const { stream, inbound, texts, stored, warned } = start({ archive: strict });
    stream.receive(hers('x1', named('forged')));
    stream.receive(live('a1'));
    await inbound.catchUp();
    expect([texts(), stored.position.archive, warned]).toEqual([['x1', 'a1'], 'a1', []]);
  });

  test('reads messages of other devices from the archive if the server sends no copies', async () => {
    const { archive, ids } = getArchive(['a0']);
    const { stream, inbound, texts, stored } = start({
      archive,
      position: { archive: 'a0' },
      hasCopies: false,
    });
    await inbound.catchUp();
    ids.push('other', 'a1');
    stream.receive(live('a1'));
    await vi.waitFor(() => expect(texts()).toEqual(['other', 'a1']), PATIENCE);
    // It arrives before it is archived.
    stream.receive(live('a2'));
    await vi.waitFor(() => expect(texts()).toEqual(['other', 'a1', 'a2']), PATIENCE);
    expect(stored.position.archive).toBe('a1');
  });

  test('drops messages that arrive too fast, and fetches them from the archive', async () => {
    const { archive, ids } = getArchive(['a0']);
    const gate = Promise.withResolvers<void>();
    const { stream, inbound, texts } = start({
      archive,
      position: { archive: 'a0' },
      emit: () => gate.promise,
    });
    await inbound.catchUp();
    for (let nth = 1; nth <= 1_000; nth++) {
      ids.push(`a${nth}`);
      stream.receive(live(`a${nth}`));
    }
    gate.resolve();
    await vi.waitFor(() => expect(texts().length).toBeGreaterThanOrEqual(1_000), PATIENCE);
    // The engine stores each once, and they are in order either way.
    expect([...new Set(texts())]).toEqual(ids.slice(1));
    expect(stream.held).toBe(0);
  });

  test('holds stanzas back from acknowledgement if there is no archive', async () => {
    const gate = Promise.withResolvers<void>();
    const { stream, inbound, texts } = start({ emit: () => gate.promise });
    await inbound.catchUp();
    for (let nth = 0; nth < 400; nth++) stream.receive(hers(`a${nth}`));
    expect(stream.held).toBe(400);
    gate.resolve();
    await vi.waitFor(() => expect(stream.held).toBe(0), PATIENCE);
    expect(texts()).toHaveLength(400);
  });

  test('looks up a message without the archive’s name in the archive, and emits it as received if it is missing', async () => {
    const { archive, ids, queries } = getArchive(['a0']);
    const { stream, inbound, told: signals, texts } = start({ archive, position: { archive: 'a0' } });
    await inbound.catchUp();
    ids.push('a1');
    stream.receive(hers('a1'));
    stream.receive(hers('b1'));
    stream.receive(live('a2'));
    await vi.waitFor(() => expect(texts()).toEqual(['a1', 'b1', 'a2']), PATIENCE);
    expect(signals.map((signal) => 'uniqueId' in signal && signal.uniqueId?.split(':')[0])).toEqual([
      'at',
      'sum',
      'at',
    ]);
    // Several messages at once are in the same page.
    ids.push('d1', 'd2', 'd3');
    for (const id of ['d1', 'd2', 'd3']) stream.receive(hers(id));
    await vi.waitFor(() => expect(texts()).toEqual(['a1', 'b1', 'a2', 'd1', 'd2', 'd3']), PATIENCE);
    // A server that archives none of them is not asked for each.
    for (let nth = 0; nth < 20; nth++) stream.receive(hers(`c${nth}`));
    await vi.waitFor(() => expect(texts()).toHaveLength(26), PATIENCE);
    expect(queries.length).toBeLessThan(14);
  });

  test('does not look up a message that must not be stored', async () => {
    const { archive, queries } = getArchive(['a0']);
    const { stream, inbound, texts } = start({ archive, position: { archive: 'a0' } });
    await inbound.catchUp();
    const asked = queries.length;
    stream.receive(hers('n1', "<no-store xmlns='urn:xmpp:hints'/>"));
    await vi.waitFor(() => expect(texts()).toEqual(['n1']), PATIENCE);
    expect(queries).toHaveLength(asked);
  });
});

describe('receipts', () => {
  test('are sent on request once the message is stored', async () => {
    const gate = Promise.withResolvers<void>();
    const { stream, inbound, acknowledged } = start({ emit: () => gate.promise });
    await inbound.catchUp();
    stream.receive(hers('a1'));
    stream.receive(toStanza(`<message from='${HER}' to='${ME}' id='q'><body>not asked</body></message>`));
    await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledged()).toEqual([]);
    gate.resolve();
    await vi.waitFor(() => expect(acknowledged()).toEqual(['m-a1']), PATIENCE);
  });

  test('are not sent if the message could not be stored', async () => {
    const { stream, inbound, acknowledged, faults } = start({
      emit: () => Promise.reject(new DriverError('lost', 'not_holder', 'Held elsewhere.')),
    });
    await inbound.catchUp();
    stream.receive(hers('a1'));
    await vi.waitFor(() => expect(faults.length).toBeGreaterThan(0), PATIENCE);
    expect(acknowledged()).toEqual([]);
  });
});

describe('copies', () => {
  const copy = (kind: string, from: string | null, inner: string) =>
    toStanza(
      `<message to='${ME}/y'${from === null ? '' : ` from='${from}'`}><${kind} xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>${inner}</forwarded></${kind}></message>`,
    );
  const own = `<message xmlns='jabber:client' from='${ME}/z' to='${HER}' type='chat' id='o1'>${words('own', named('a9'))}</message>`;
  const got = `<message xmlns='jabber:client' from='${HER}' to='${ME}/z' type='chat' id='g1'>${words('got', named('a8'))}</message>`;

  test('are accepted only from the account’s own server', async () => {
    const {
      stream,
      inbound,
      told: signals,
    } = start({
      archive: getArchive(['a0']).archive,
      position: { archive: 'a0' },
    });
    await inbound.catchUp();
    for (const forger of ['mallory@b.lit', `${ME}/z`, HER, 'b.lit'])
      expect(stream.receive(copy('sent', forger, own)), forger).toBe(false);
    // A sent copy must be from the account, and a received copy must be to the account.
    expect(stream.receive(copy('sent', ME, got))).toBe(false);
    expect(stream.receive(copy('received', ME, own))).toBe(false);
    expect(stream.receive(copy('sent', ME, own))).toBe(true);
    expect(stream.receive(copy('received', null, got))).toBe(true);
    await vi.waitFor(() => expect(signals).toHaveLength(2), PATIENCE);
    expect(signals).toMatchObject([
      { kind: 'message', text: 'own', fromMe: true, from: ME, uniqueId: `at:${ME} a9` },
      { kind: 'message', text: 'got', fromMe: false, from: HER, uniqueId: `at:${ME} a8` },
    ]);
    // The device that received it sends the receipt.
    expect(stream.sent).toEqual([]);
  });

  test('names forged by senders are ignored', async () => {
    const { stream, inbound, told: signals } = start({});
    await inbound.catchUp();
    stream.receive(hers('a1', "<stanza-id xmlns='urn:xmpp:sid:0' by='evil.lit' id='forged'/>"));
    stream.receive(hers('a2', named('forged')));
    await vi.waitFor(() => expect(signals).toHaveLength(2), PATIENCE);
    for (const signal of signals)
      expect(signal).toMatchObject({ uniqueId: expect.stringMatching(/^sum:/) as unknown });
    const { archive, ids } = getArchive(['a0']);
    const kept = start({ archive, position: { archive: 'a0' } });
    await kept.inbound.catchUp();
    ids.push('a1');
    kept.stream.receive(hers('a1', named('forged') + named('a1')));
    await vi.waitFor(() => expect(kept.told).toHaveLength(1), PATIENCE);
    expect(kept.told[0]).toMatchObject({ uniqueId: `at:${ME} a1` });
  });

  test('messages of rooms and archive entries are left to other handlers', () => {
    const { stream } = start({});
    const entry = `<result xmlns='urn:xmpp:mam:2' queryid='q' id='i'><forwarded xmlns='urn:xmpp:forward:0'>${got}</forwarded></result>`;
    expect(stream.receive(toStanza(`<message from='${ME}'>${entry}</message>`))).toBe(false);
    expect(
      stream.receive(toStanza(`<message from='r@b.lit/n' type='groupchat'><body>x</body></message>`)),
    ).toBe(false);
    expect(stream.receive(toStanza(`<presence from='${HER}'/>`))).toBe(false);
  });
});

describe('invitations', () => {
  const invite = (from: string, id: string) =>
    toStanza(
      `<message from='${from}' to='${ME}'><x xmlns='jabber:x:conference' jid='${id}@rooms.capulet.lit'/>${named(id)}</message>`,
    );

  test('are taken once: the position moves past a live invitation', async () => {
    const rooms: unknown[] = [];
    const onInvitation = (stanza: Element) => rooms.push(stanza.getChild('x')!.attrs['jid']) > 0;
    const { archive } = getArchive([]);
    const { stream, inbound, stored, told: signals } = start({ archive, onInvitation });
    await inbound.catchUp();
    stream.receive(invite(`${HER}/x`, 'a'));
    await vi.waitFor(() => expect(stored.position.archive).toBe('a'), PATIENCE);
    expect(rooms).toEqual(['a@rooms.capulet.lit']);
    expect(signals).toEqual([]);
  });

  test('wait for earlier messages, and are ignored if the account sent them itself', async () => {
    const rooms: unknown[] = [];
    const onInvitation = (stanza: Element) => rooms.push(stanza.getChild('x')!.attrs['jid']) > 0;
    const entries = [invite(`${ME}/phone`, 'own'), invite(`${HER}/x`, 'hers')];
    const archive: Archive = {
      page: async () => ({
        entries: entries.map((stanza, nth) => ({ id: `e${nth}`, at: new Date(), stanza })),
        isComplete: true,
        first: 'e0',
        last: 'e1',
      }),
    };
    const { stream, inbound, stored } = start({ archive, position: { archive: 'd' }, onInvitation });
    stream.receive(invite(`${HER}/x`, 'later'));
    expect(rooms).toEqual([]);
    await inbound.catchUp();
    await vi.waitFor(() => expect(stored.position.archive).toBe('later'), PATIENCE);
    expect(rooms).toEqual(['hers@rooms.capulet.lit', 'later@rooms.capulet.lit']);
  });
});
