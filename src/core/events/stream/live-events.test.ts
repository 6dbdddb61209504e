/** Tests events that are only on streams, with controlled hints: the limits that a channel can't exceed. */
import { describe, expect, test, vi } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { createLiveEvents, type LiveEvents, MAX_PER_CYCLE } from './live-events.ts';

/** Two processes that receive each other's hints. */
function twoProcesses() {
  const hints: string[] = [];
  const hearers: ((payload: string) => void)[] = [];
  const one = (index: number): LiveEvents =>
    createLiveEvents({
      listener: {
        on: (_, hear) => void (hearers[index] = hear),
        notify(_, payload = '') {
          hints.push(payload);
          hearers[1 - index]!(payload);
        },
      },
      log: { debug() {} },
    });
  return { hints, here: one(0), there: one(1) };
}
const getSource = (live: LiveEvents) => {
  const described: number[] = [];
  const tell = live.source<string>('chat.typing', async (asked) => {
    described.push(asked.length);
    return asked.map(({ about }) => (about === 'nobody' ? null : { object: 'chat_typing', about }));
  });
  return { tell, described };
};
const getObject = (texts: string[]): string[] =>
  texts.map((text) => JSON.parse(text.slice('data: '.length)).data.object.about);
const workspace = newUuid();
const idle = (): void => {};

describe('events that nobody stores', () => {
  test('reach followers of the workspace and type, here and elsewhere, as events without ID and sequence', async () => {
    const { here, there } = twoProcesses();
    const { tell } = getSource(here);
    const woken = vi.fn<() => void>();
    const near = here.follow(workspace, ['chat.typing'], woken);
    const far = there.follow(workspace, ['chat.typing', 'contact.presence'], woken);
    const others = [
      here.follow(workspace, ['contact.presence'], woken),
      there.follow(newUuid(), ['chat.typing'], woken),
    ];
    tell(workspace, 'a', 'alice');
    tell(workspace, 'b', 'nobody');
    await vi.waitFor(() => expect(woken).toHaveBeenCalledTimes(2));
    const texts = near.take();
    expect(far.take()).toEqual(texts);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(/^data: \{.*\}\n\n$/);
    expect(JSON.parse(texts[0]!.slice(6))).toMatchObject({
      id: null,
      object: 'event',
      type: 'chat.typing',
      sequence: null,
      data: { object: { about: 'alice' } },
    });
    expect(others.flatMap((other) => other.take())).toEqual([]);
    expect(near.take()).toEqual([]);
    await here.stop();
  });

  test('a flood is gathered by key, bounded a turn, and leaves room for other workspaces', async () => {
    const { here, hints } = twoProcesses();
    const { tell, described } = getSource(here);
    const quiet = newUuid();
    const flooded = here.follow(workspace, ['chat.typing'], idle);
    const heard = here.follow(quiet, ['chat.typing'], idle);
    for (let n = 0; n < 10_000; n++) tell(workspace, `${n % 500}`, `${n}`);
    tell(quiet, 'a', 'still heard');
    await vi.waitFor(() => expect(getObject(heard.take())).toEqual(['still heard']));
    const first = getObject(flooded.take());
    // The newest of each key that there was room for.
    expect(first).toEqual(Array.from({ length: MAX_PER_CYCLE }, (_, n) => `${9_500 + n}`));
    expect(described).toEqual([MAX_PER_CYCLE + 1]);
    expect(hints.every((hint) => Buffer.byteLength(hint) < 8_000)).toBe(true);
    // The rest arrives a cycle later, and of ten thousand at most a hundred.
    const all = [...first];
    await vi.waitFor(() => {
      all.push(...getObject(flooded.take()));
      expect(all).toHaveLength(100);
    });
    await here.stop();
    expect(described.every((count) => count <= MAX_PER_CYCLE + 1)).toBe(true);
  });

  test('what is too large for a hint goes nowhere, and what is together too large goes in several', async () => {
    const { here, there, hints } = twoProcesses();
    const { tell } = getSource(here);
    const far = there.follow(workspace, ['chat.typing'], idle);
    const near = here.follow(workspace, ['chat.typing'], idle);
    tell(workspace, 'large', 'x'.repeat(5_000));
    for (let n = 0; n < 5; n++) tell(workspace, `${n}`, `${n}${'ä'.repeat(1_000)}`);
    await vi.waitFor(() => expect(hints.length).toBeGreaterThan(1));
    expect(hints.every((hint) => Buffer.byteLength(hint) < 8_000)).toBe(true);
    const told = getObject(far.take()).map((about) => about[0]);
    expect(told).toEqual(['0', '1', '2', '3', '4']);
    expect(getObject(near.take()).map((about) => about[0])).toEqual(told);
    await here.stop();
  });

  test('who does not take has the newest few; who left has none; a source that fails stops nothing', async () => {
    const { here } = twoProcesses();
    const { tell } = getSource(here);
    const failing = here.source<string>('contact.presence', () => Promise.reject(new Error('no database')));
    const lazy = here.follow(workspace, ['chat.typing'], idle);
    const gone = here.follow(workspace, ['chat.typing'], idle);
    gone.leave();
    failing(workspace, 'a', 'alice');
    const told = vi.fn<() => void>();
    here.follow(workspace, ['chat.typing'], told);
    for (let n = 0; n < 80; n++) tell(workspace, `${n}`, `${n}`);
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(80));
    expect(getObject(lazy.take())).toEqual(Array.from({ length: 64 }, (_, n) => `${n + 16}`));
    expect(gone.take()).toEqual([]);
    await here.stop();
  });
});
