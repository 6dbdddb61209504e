/** Stanzas for tests, by the way that they come in: as text, through the reader of the stream. */
import type { Element } from '@xmpp/xml';
import { XmlReader } from '../../../../src/channels/xmpp/wire/xml-reader.ts';

export function toStanza(text: string): Element {
  const found: Element[] = [];
  const reader = new XmlReader({
    onHeader: () => undefined,
    onElement: (element) => void found.push(element),
    onFooter: () => undefined,
  });
  reader.write(
    `<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>${text}`,
  );
  if (found.length !== 1) throw new Error(`${found.length} stanzas in ${text}`);
  return found[0]!;
}

export const ME = 'romeo@montague.lit';
export const HER = 'juliet@capulet.lit';
export const AT = new Date('2026-05-05T10:00:00.000Z');
