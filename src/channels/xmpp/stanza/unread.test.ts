/** Each stanza gives a signal, is kept, or is ignored on purpose. Kept stanzas can be read again. */
import { expect, test } from 'vitest';
import type { Signal } from '../../contract/signal.ts';
import { AT, HER, ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import { readMessage } from './read-message.ts';
import { readOrKeep, restore } from './unread.ts';

const toMessage = (content: string, type = 'chat') =>
  toStanza(`<message from='${HER}/x' to='${ME}' type='${type}' id='m1'>${content}</message>`);
const read = (content: string, type?: string): Signal[] => {
  const stanza = toMessage(content, type);
  return readOrKeep({ stanza, stanzaId: 's1', at: AT, room: null }, () =>
    readMessage(stanza, { account: ME, stanzaId: 's1', at: AT }),
  );
};

test.each([
  ['an unknown element', "<hologram xmlns='urn:example:3d'/>", 'unknown_kind', 'hologram urn:example:3d'],
  [
    'an unknown element among known ones',
    "<thread>t</thread><x xmlns='urn:new'/>",
    'unknown_kind',
    'x urn:new',
  ],
  ['a correction without an ID', "<replace xmlns='urn:xmpp:message-correct:0'/>", 'malformed', 'replace'],
  ['a retraction without an ID', "<retract xmlns='urn:xmpp:message-retract:1'/>", 'malformed', 'retract'],
  [
    'an element of reactions without an ID',
    "<reactions xmlns='urn:xmpp:reactions:0'/>",
    'malformed',
    'reactions',
  ],
])('%s is kept', (_, content, reason, type) => {
  const [kept, ...others] = read(content);
  expect(others).toEqual([]);
  expect(kept).toMatchObject({ kind: 'unprocessed', reason, type, raw: { stanza_id: 's1', room: null } });
});

test.each([
  ['typing', "<composing xmlns='http://jabber.org/protocol/chatstates'/>", 'chat'],
  ['nothing', '', 'chat'],
  ['an empty body', '<body></body>', 'chat'],
  ['an event of PubSub', "<event xmlns='http://jabber.org/protocol/pubsub#event'/>", 'chat'],
  ['an announcement', "<hologram xmlns='urn:example:3d'/>", 'headline'],
])('%s is ignored on purpose', (_, content, type) => {
  expect(read(content, type)).toEqual([]);
});

test('a stanza that fails to be read is kept', () => {
  const stanza = toMessage('<body>Hi</body>');
  const kept = readOrKeep({ stanza, stanzaId: null, at: AT, room: null }, () => {
    throw new TypeError('an error of the driver');
  });
  expect(kept).toMatchObject([{ kind: 'unprocessed', reason: 'malformed' }]);
});

test('a kept stanza is restored unchanged', () => {
  const [kept] = read("<hologram xmlns='urn:example:3d'>a &lt; b &amp; ü</hologram>");
  if (kept?.kind !== 'unprocessed') throw new Error('it was not kept');
  const restored = restore(kept.raw)!;
  expect([restored.stanzaId, restored.at, restored.room]).toEqual(['s1', AT, null]);
  expect(restored.stanza.getChild('hologram', 'urn:example:3d')!.getText()).toBe('a < b & ü');
  for (const raw of [null, 'x', 7, { stanza: 'no XML <' }, { stanza: '</stream>' }])
    expect(restore(raw)).toBeNull();
});
