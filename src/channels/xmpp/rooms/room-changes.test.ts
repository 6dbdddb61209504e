/** A room's changes are emitted at a limited rate, and each keeps its actor. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { GroupAbout } from '../../contract/connection.ts';
import type { GroupSignal } from '../../contract/signal.ts';
import { createOccupants, type Occupant } from './occupants.ts';
import { createRoomChanges, GATHER_MS } from './room-changes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const occupant = (nick: string, affiliation: Occupant['affiliation'] = 'none'): Occupant => ({
  nick,
  address: `${nick}@example.com`,
  affiliation,
  role: 'participant',
  id: null,
  stay: nick,
});

function changing() {
  const occupants = createOccupants();
  const signals: GroupSignal[] = [];
  let subject = '';
  const take = (): void => {
    signals.push(...(changes.take() as GroupSignal[]));
  };
  const changes = createRoomChanges({
    occupants,
    known: { about: () => ({ subject }) as GroupAbout },
    group: (given) => ({ kind: 'group', key: 'r', address: 'r', by: null, at: new Date(), ...given }),
    wake: take,
  });
  const turn = (by: string): void => {
    subject = `by ${by}`;
    changes.onAbout(by);
  };
  return { occupants: occupants, signals, take, turn };
}

test('people and a subject that keep changing are emitted once a second in their latest state', () => {
  const { occupants, signals, take, turn } = changing();
  occupants.setLists(new Map());
  occupants.takeAll();
  for (let nth = 0; nth < 3000; nth++) {
    if (nth % 2) occupants.leave('bob', 'left', null);
    else occupants.enter(occupant('bob'), null);
    take();
    turn(nth % 2 ? 'eve' : 'ada');
    vi.advanceTimersByTime(1);
  }
  expect(signals.length).toBeLessThanOrEqual(8);
  vi.advanceTimersByTime(GATHER_MS);
  expect(signals.findLast(({ about }) => about)).toMatchObject({ by: 'eve', about: { subject: 'by eve' } });
  const known = new Set<string>();
  for (const { participants } of signals)
    if (participants && 'changed' in participants)
      for (const { address, role } of participants.changed)
        if (role === null) known.delete(address);
        else known.add(address);
  expect([...known]).toEqual([]);
});

test('a change after a quiet second is emitted immediately', () => {
  const { signals, turn } = changing();
  turn('ada');
  vi.advanceTimersByTime(GATHER_MS);
  turn('eve');
  expect(signals.map(({ by }) => by)).toEqual(['ada', 'eve']);
});

test('a promotion keeps its actor after further presences, and leaving afterwards has no actor', () => {
  const { occupants, signals, take } = changing();
  occupants.setLists(new Map());
  for (const nick of ['bob', 'kim']) occupants.enter(occupant(nick), null);
  occupants.takeAll();
  for (const nick of ['bob', 'kim']) occupants.enter(occupant(nick, 'admin'), 'ada@example.com');
  occupants.enter(occupant('bob', 'admin'), null);
  occupants.leave('kim', 'left', null);
  occupants.affiliate('kim@example.com', 'none', null);
  take();
  expect(signals).toMatchObject([
    { by: 'ada@example.com', participants: { changed: [{ address: 'bob@example.com', role: 'admin' }] } },
    { by: null, participants: { changed: [{ address: 'kim@example.com', role: null, gone: 'left' }] } },
  ]);
});
