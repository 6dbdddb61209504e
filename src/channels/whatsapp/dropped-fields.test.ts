/**
 * Tests that every field of Meta's example webhooks is read, kept unchanged, or listed in docs/whatsapp.md as dropped:
 * removes or changes each member, and compares the results.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readExampleWebhooks } from '../../../test/support/channels/whatsapp/description.ts';
import type { Json } from '../contract/json.ts';
import { splitChange, type WebhookPart } from './ingress.ts';
import { readPart } from './signals.ts';

const guide = readFileSync(new URL('../../../docs/whatsapp.md', import.meta.url), 'utf8');
const section = /^## Fields that Fairlead drops\n(.*?)^## /ms.exec(guide)?.[1] ?? '';
const dropped = new Set([...section.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));
/** The recipient of a change. */
const ENVELOPE = new Set(['messaging_product', 'metadata']);

const read = (change: Json): string =>
  JSON.stringify(
    [...splitChange(change)].map(({ body }) =>
      readPart(body as unknown as WebhookPart, '+16505550000', new Date(0)),
    ),
  );

/** Calls `visit` with the name of each member, while the member is missing, and while it is another value. */
function takeOut(json: Json, parent: string, visit: (path: string) => void): void {
  if (json === null || typeof json !== 'object') return;
  if (Array.isArray(json)) {
    for (const one of json) takeOut(one, parent, visit);
    return;
  }
  for (const [name, value] of Object.entries(json)) {
    if (ENVELOPE.has(name)) continue;
    delete json[name];
    visit(`${parent}.${name}`);
    // Another member may say the same.
    if (typeof value === 'string' || typeof value === 'number') {
      json[name] =
        typeof value === 'number' ? value + 1 : value.slice(0, -1) + (value.endsWith('1') ? '2' : '1');
      visit(`${parent}.${name}`);
    }
    json[name] = value;
    takeOut(value, name, visit);
  }
}

test('each member of the example webhooks is read, kept, or named as dropped', async () => {
  const seen = new Map<string, boolean>();
  for (const example of Object.values(await readExampleWebhooks())) {
    const { entry } = structuredClone(example) as { entry: { changes: { value: Json }[] }[] };
    for (const change of entry.flatMap(({ changes }) => changes)) {
      const whole = read(change);
      takeOut(change.value, 'value', (path) =>
        seen.set(path, (seen.get(path) ?? false) || read(change) !== whole),
      );
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  const isDropped = (path: string): boolean =>
    path.split('.').some((name) => dropped.has(name)) || dropped.has(path);
  const wrong = [...seen].filter(([path, isRead]) => !isRead && !isDropped(path)).map(([path]) => path);
  expect(wrong).toEqual([]);
});
