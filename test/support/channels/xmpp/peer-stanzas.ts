/** What somebody writes, as clients of people write it: none of the driver's code. */
import { randomUUID } from 'node:crypto';
import https from 'node:https';
import { xml } from '@xmpp/client';
import type { Element } from '@xmpp/xml';
import type { PeerMessage } from '../../../conformance/suite/harness.ts';
import { UPLOADS } from './xmpp-server.ts';
import { ask, type Link } from './session.ts';

const STORE = xml('store', { xmlns: 'urn:xmpp:hints' });

export interface To {
  /** Bare. */
  address: string;
  type: 'chat' | 'groupchat';
}

const stanza = ({ address, type }: To, id: string, ...content: Element[]): Element =>
  xml('message', { to: address, type, id }, ...content);
/** What XML has no place for nobody can type. */
const text = (body: string): Element =>
  xml('body', {}, body.replaceAll(/(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, ''));
const fallback = (what: string, ...ranges: Element[]): Element =>
  xml('fallback', { xmlns: 'urn:xmpp:fallback:0', for: what }, ...ranges);

/** @param replyAuthor who wrote the message that it answers */
export async function messageStanza(
  link: Link,
  to: To,
  id: string,
  message: PeerMessage,
  replyAuthor: string,
  ca: string,
): Promise<Element> {
  const parts: Element[] = [
    xml('origin-id', { xmlns: 'urn:xmpp:sid:0', id }),
    xml('active', { xmlns: 'http://jabber.org/protocol/chatstates' }),
  ];
  if (to.type === 'chat')
    parts.push(
      xml('request', { xmlns: 'urn:xmpp:receipts' }),
      xml('markable', { xmlns: 'urn:xmpp:chat-markers:0' }),
    );
  let body = message.text ?? '';
  if (message.file) {
    const { url, sharing } = await upload(link, message.file, ca);
    body = url;
    parts.push(sharing, xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url)));
  }
  if (message.type === 'location') {
    const { latitude, longitude, name } = message.data as {
      latitude: number;
      longitude: number;
      name: string | null;
    };
    body = `geo:${latitude},${longitude}`;
    parts.push(
      xml(
        'geoloc',
        { xmlns: 'http://jabber.org/protocol/geoloc' },
        xml('lat', {}, String(latitude)),
        xml('lon', {}, String(longitude)),
        ...(name !== null ? [xml('description', {}, name)] : []),
      ),
    );
  }
  if (message.replyTo !== null) {
    const quote = '> what it answers, 👍\n';
    body = quote + body;
    parts.push(
      xml('reply', { xmlns: 'urn:xmpp:reply:0', to: replyAuthor, id: message.replyTo }),
      fallback('urn:xmpp:reply:0', xml('body', { start: '0', end: String(Array.from(quote).length) })),
    );
  }
  for (const address of message.mentions ?? [])
    parts.push(xml('reference', { xmlns: 'urn:xmpp:reference:0', type: 'mention', uri: `xmpp:${address}` }));
  return stanza(to, id, text(body), ...parts);
}

export const correction = (to: To, of: string, body: string): Element =>
  stanza(to, randomUUID(), text(body), xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: of }));

export const retraction = (to: To, of: string): Element =>
  stanza(
    to,
    randomUUID(),
    text('A message was taken back, but your program does not know of that.'),
    xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id: of }),
    fallback('urn:xmpp:message-retract:1'),
    STORE,
  );

export const reaction = (to: To, message: string, emoji: string): Element =>
  stanza(
    to,
    randomUUID(),
    xml('reactions', { xmlns: 'urn:xmpp:reactions:0', id: message }, xml('reaction', {}, emoji)),
    STORE,
  );

export const delivered = (to: To, message: string): Element =>
  stanza(to, randomUUID(), xml('received', { xmlns: 'urn:xmpp:receipts', id: message }), STORE);

export const displayed = (to: To, message: string): Element =>
  stanza(to, randomUUID(), xml('displayed', { xmlns: 'urn:xmpp:chat-markers:0', id: message }), STORE);

export const composing = (to: To): Element =>
  stanza(to, randomUUID(), xml('composing', { xmlns: 'http://jabber.org/protocol/chatstates' }));

async function upload(
  link: Link,
  { bytes, fileName, mimeType }: NonNullable<PeerMessage['file']>,
  ca: string,
): Promise<{ url: string; sharing: Element }> {
  const namespace = 'urn:xmpp:http:upload:0';
  const size = String(bytes.length);
  const about = { xmlns: namespace, filename: fileName, size, 'content-type': mimeType };
  const slot = await ask(link, 'get', UPLOADS, xml('request', about));
  const put = slot!.getChild('put', namespace)!;
  const headers = put
    .getChildren('header')
    .map((header) => [header.attrs['name'] as string, header.getText()]);
  await new Promise<void>((resolve, reject) => {
    const request = https.request(
      put.attrs['url'] as string,
      {
        method: 'PUT',
        ca,
        headers: { ...Object.fromEntries(headers), 'content-type': mimeType, 'content-length': size },
      },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 201) resolve();
        else reject(new Error(`The upload was answered with ${answer.statusCode}.`));
      },
    );
    request.on('error', reject).end(bytes);
  });
  const url = slot!.getChild('get', namespace)!.attrs['url'] as string;
  const sharing = xml(
    'file-sharing',
    { xmlns: 'urn:xmpp:sfs:0', disposition: 'inline' },
    xml(
      'file',
      { xmlns: 'urn:xmpp:file:metadata:0' },
      xml('name', {}, fileName),
      xml('size', {}, size),
      xml('media-type', {}, mimeType),
    ),
    xml(
      'sources',
      { xmlns: 'urn:xmpp:sfs:0' },
      xml('url-data', { xmlns: 'http://jabber.org/protocol/url-data', target: url }),
    ),
  );
  return { url, sharing };
}
