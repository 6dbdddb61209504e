import fc from 'fast-check';
import xml, { type Element } from '@xmpp/xml';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu.ts';
import { XmlError, XmlReader } from './xml-reader.ts';

const HEADER = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

function read(chunks: readonly string[]): string[] {
  const said: string[] = [];
  const reader = new XmlReader({
    onHeader: (header) => said.push(`header ${header.getNS()}`),
    onElement: (element: Element) => said.push(element.toString()),
    onFooter: () => said.push('footer'),
  });
  for (const chunk of chunks) reader.write(chunk);
  return said;
}
const pieces = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % text.length))].sort((one, other) => one - other);
  return [0, ...places].map((from, n) => text.slice(from, places[n] ?? text.length));
};

describe('XmlReader', () => {
  const whole = `<?xml version='1.0'?>\n${HEADER} \n<message id='1' to="a@b"><body>a&lt;b &#x1F44D;&#65; ]]&gt;</body><x xmlns='y'/></message><r xmlns='z'/><message><![CDATA[<a>]] > ]]]]></message> </stream:stream>`;
  const expected = [
    'header http://etherx.jabber.org/streams',
    '<message id="1" to="a@b"><body>a&lt;b 👍A ]]&gt;</body><x xmlns="y"/></message>',
    '<r xmlns="z"/>',
    '<message>&lt;a&gt;]] &gt; ]]</message>',
    'footer',
  ];

  test('gives the same result however the input is split', () => {
    expect(read([whole])).toEqual(expected);
    expect(read(Array.from(whole))).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
        expect(read(pieces(whole, cuts))).toEqual(expected);
      }),
    );
  });

  test('reads back what was written', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '&', '"', "'", '>', '\n', 'é', '👍', ']', ';'),
    });
    fc.assert(
      fc.property(text, text, (body, id) => {
        const stanza = xml('message', { id: id.replaceAll('\n', ' ') }, xml('body', {}, body));
        expect(read([HEADER, stanza.toString()]).at(-1)).toBe(stanza.toString());
      }),
    );
  });

  test('reads or rejects any input', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '</',
      '/>',
      '<a',
      'a',
      '=',
      "'",
      '"',
      ' ',
      '&',
      ';',
      '<![CDATA[',
      ']]>',
      '!',
      '?',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        try {
          read([HEADER, ...parts]);
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('inherits namespaces from the stream and from parent elements', () => {
    let received: Element | null = null;
    const reader = new XmlReader({
      onHeader: () => undefined,
      onElement: (element) => (received = element),
      onFooter: () => undefined,
    });
    reader.write(`${HEADER}<message><stream:error/><x xmlns='y'><z/></x></message>`);
    expect(received!.getNS()).toBe('jabber:client');
    expect(received!.getChild('error')!.getNS()).toBe('http://etherx.jabber.org/streams');
    expect(received!.getChild('x', 'y')!.getChild('z')!.getNS()).toBe('y');
  });

  test('does not count white space between stanzas', () => {
    const reader = new XmlReader(
      { onHeader: () => undefined, onElement: () => undefined, onFooter: () => undefined },
      { characters: 200, depth: 4, parts: 20 },
    );
    reader.write(HEADER);
    for (let n = 0; n < 1000; n++) reader.write(' \n');
    reader.write('<message/>');
    expect(() => reader.write(`<message>${' '.repeat(300)}`)).toThrow(XmlError);
  });

  test('reads a stanza in single bytes in linear time', () => {
    const body = 'x'.repeat(300_000);
    const bytes = Array.from(`<message><body>${body}</body><y a="${body}"/></message>`);
    const took = cpuMs(() => expect(read([HEADER, ...bytes])).toHaveLength(2));
    expect(took).toBeLessThan(5_000);
  });
});
