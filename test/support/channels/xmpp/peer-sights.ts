/** What somebody makes of a stanza: written for the tests alone, so that what the driver writes is read by somebody else. */
import { createHash } from 'node:crypto';
import https from 'node:https';
import type { Element } from '@xmpp/xml';
import type { MessageType } from '../../../../src/channels/contract/capabilities.ts';
import type { Sight } from '../../../conformance/suite/harness.ts';

const NOTHING = { file: null, data: null, replyTo: null, mentions: [] };

export const getId = (element: Element | undefined): string => String(element?.attrs['id'] ?? '');
const child = (stanza: Element, name: string, namespace: string): Element | undefined =>
  stanza.getChild(name, namespace);
const children = (stanza: Element, name: string, namespace: string): Element[] =>
  stanza.getChildren(name, namespace);

/**
 * @param externalId what the message is called here
 * @param named what somebody else's ID in a change is called here
 */
export async function getViews(
  stanza: Element,
  { externalId, named, ca }: { externalId: string; named: (id: string) => string; ca: string },
): Promise<Sight[]> {
  const replaced = child(stanza, 'replace', 'urn:xmpp:message-correct:0');
  const retracted = child(stanza, 'retract', 'urn:xmpp:message-retract:1');
  const reactions = child(stanza, 'reactions', 'urn:xmpp:reactions:0');
  const received = child(stanza, 'received', 'urn:xmpp:receipts');
  const displayed = child(stanza, 'displayed', 'urn:xmpp:chat-markers:0');
  const body = stanza.getChildText('body');
  if (retracted) return [{ kind: 'revoked', externalId: named(getId(retracted)) }];
  if (replaced) return [{ kind: 'edited', externalId: named(getId(replaced)), text: body ?? '' }];
  if (reactions) {
    const emoji = reactions.getChildText('reaction');
    return [{ kind: 'reacted', externalId: named(getId(reactions)), emoji }];
  }
  const sights: Sight[] = [];
  if (received) sights.push({ kind: 'receipt', externalId: named(getId(received)), status: 'delivered' });
  if (displayed) sights.push({ kind: 'receipt', externalId: named(getId(displayed)), status: 'read' });
  const content = await getContent(stanza, body, ca);
  if (content) {
    const reply = child(stanza, 'reply', 'urn:xmpp:reply:0');
    const mentions = children(stanza, 'reference', 'urn:xmpp:reference:0')
      .filter(({ attrs }) => attrs['type'] === 'mention')
      .map(({ attrs }) => decodeURIComponent(String(attrs['uri']).replace('xmpp:', '')));
    sights.push({
      kind: 'message',
      externalId,
      ...NOTHING,
      ...content,
      mentions,
      replyTo: reply ? named(getId(reply)) : null,
    });
  }
  const states = stanza.children.filter(
    (node): node is Element =>
      typeof node === 'object' && node.getNS() === 'http://jabber.org/protocol/chatstates',
  );
  for (const state of states)
    if (state.name === 'composing') sights.push({ kind: 'typing', isTyping: true });
    else if (!content) sights.push({ kind: 'typing', isTyping: false });
  return sights;
}

type Content = Pick<Extract<Sight, { kind: 'message' }>, 'type' | 'text'> &
  Partial<Pick<Extract<Sight, { kind: 'message' }>, 'file' | 'data'>>;

async function getContent(stanza: Element, body: string | null, ca: string): Promise<Content | null> {
  const url = child(stanza, 'x', 'jabber:x:oob')?.getChildText('url');
  const place = child(stanza, 'geoloc', 'http://jabber.org/protocol/geoloc');
  if (url) {
    const { bytes, contentType } = await download(url, ca);
    const sharing = child(stanza, 'file-sharing', 'urn:xmpp:sfs:0')?.getChild('file');
    // Some servers go by the ending of the file's name alone.
    const family = (sharing?.getChildText('media-type') ?? contentType).split('/')[0]!;
    const type = (['image', 'video', 'audio'].includes(family) ? family : 'document') as MessageType;
    const file = createHash('sha256').update(bytes).digest('hex');
    return { type, text: getCaption(body, url), file };
  }
  if (body === null) return null;
  if (place) {
    const number = (name: string) => Number(place.getChildText(name));
    const [name, address] = [place.getChildText('description'), place.getChildText('text')];
    return {
      type: 'location',
      text: null,
      data: { latitude: number('lat'), longitude: number('lon'), name, address },
    };
  }
  return { type: 'text', text: withoutQuote(stanza, body) };
}

/** What a client shows beside the file: what the body says besides the link. */
const getCaption = (body: string | null, url: string): string | null =>
  (body ?? '').replace(url, '').trim() || null;

/** Without what stands there for clients that can't show what is answered (XEP-0428). */
function withoutQuote(stanza: Element, body: string): string {
  const fallback = children(stanza, 'fallback', 'urn:xmpp:fallback:0').find(
    ({ attrs }) => attrs['for'] === 'urn:xmpp:reply:0',
  );
  const range = fallback?.getChild('body')?.attrs;
  if (!range) return body;
  const points = Array.from(body);
  return [...points.slice(0, Number(range['start'])), ...points.slice(Number(range['end']))].join('');
}

function download(url: string, ca: string): Promise<{ bytes: Buffer; contentType: string }> {
  return new Promise((resolve, reject) => {
    https
      .get(url, { ca }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve({
                bytes: Buffer.concat(chunks),
                contentType: answer.headers['content-type'] ?? 'application/octet-stream',
              })
            : reject(new Error(`${url} answered ${answer.statusCode}.`)),
        );
      })
      .on('error', reject);
  });
}
