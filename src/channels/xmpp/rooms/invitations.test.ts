/** Received invitations: how many are followed, and how failed ones are retried. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import { type Accepted, createInvitations, type Invitation, MAX_AN_HOUR, RETRY_MS } from './invitations.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function inviting(answer: (room: string) => Accepted) {
  const accepted: Invitation[] = [];
  const logged: string[] = [];
  const invitations = createInvitations({
    isTaken: () => false,
    async accept(invitation) {
      accepted.push(invitation);
      return answer(invitation.room);
    },
    log: { warn: (_details, message) => void logged.push(message) },
  });
  const invite = (room: string, password = ''): boolean =>
    invitations.take(
      toStanza(
        `<message from='eve@example.com/x'><x xmlns='jabber:x:conference' jid='${room}@rooms.example.com' password='${password}'/></message>`,
      ),
    );
  const rooms = () => accepted.map(({ room }) => room.split('@')[0]);
  return { invitations, accepted, rooms, logged, invite };
}

test('the rooms entered per hour are limited, and failed attempts do not count', async () => {
  const { rooms, logged, invite } = inviting((room) => (room.startsWith('no') ? 'refused' : 'entered'));
  for (let nth = 0; nth < 3 * MAX_AN_HOUR; nth++) {
    expect([invite(`no${nth}`), invite(`r${nth}`)]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(rooms().filter((room) => room?.startsWith('r'))).toEqual(
    Array.from({ length: MAX_AN_HOUR }, (_, nth) => `r${nth}`),
  );
  expect(logged).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3_600_001);
  invite('late');
  await vi.advanceTimersByTimeAsync(1);
  expect(rooms().at(-1)).toBe('late');
});

test('a temporary failure is retried a limited number of times with increasing waits', async () => {
  const { accepted, rooms, invite } = inviting(() => 'later');
  const started = performance.now();
  const times: number[] = [];
  invite('tea');
  // The second one adds the password, and causes no further attempt.
  await vi.advanceTimersByTimeAsync(1);
  invite('tea', 'sesame');
  for (let tries = 0; tries < 10_000; tries++) {
    if (accepted.length > times.length) times.push(Math.round(performance.now() - started));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(rooms()).toEqual(Array(RETRY_MS.length + 1).fill('tea'));
  expect(accepted.map(({ password }) => password)).toEqual([null, ...RETRY_MS.map(() => 'sesame')]);
  for (const [nth, ms] of RETRY_MS.entries()) expect(times[nth + 1]! - times[nth]!).toBeGreaterThan(ms - 200);
  // A new invitation starts over.
  invite('tea');
  await vi.advanceTimersByTimeAsync(1);
  expect(accepted).toHaveLength(RETRY_MS.length + 2);
});

test('an invitation is not retried after it succeeded or after `stop`', async () => {
  let answer: Accepted = 'later';
  const { invitations, rooms, invite } = inviting(() => answer);
  invite('tea');
  await vi.advanceTimersByTimeAsync(1);
  answer = 'entered';
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(rooms()).toEqual(['tea', 'tea']);
  answer = 'later';
  invite('cake');
  await vi.advanceTimersByTimeAsync(1);
  invitations.stop();
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(rooms()).toEqual(['tea', 'tea', 'cake']);
});

test('invitations that keep failing do not block others', async () => {
  const { rooms, invite } = inviting((room) => (room.startsWith('dead') ? 'later' : 'entered'));
  for (let nth = 0; nth < 200; nth++) {
    invite(`dead${nth}`);
    await vi.advanceTimersByTimeAsync(1);
  }
  invite('tea');
  await vi.advanceTimersByTimeAsync(1);
  expect(rooms().at(-1)).toBe('tea');
});
