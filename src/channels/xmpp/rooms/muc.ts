/** Builds stanzas for rooms (XEP-0045), and has helpers for reading them. */
import xml, { type Element } from '@xmpp/xml';

export const MUC = {
  muc: 'http://jabber.org/protocol/muc',
  user: 'http://jabber.org/protocol/muc#user',
  admin: 'http://jabber.org/protocol/muc#admin',
  owner: 'http://jabber.org/protocol/muc#owner',
  config: 'http://jabber.org/protocol/muc#roomconfig',
  conference: 'jabber:x:conference',
  data: 'jabber:x:data',
  register: 'jabber:iq:register',
  info: 'http://jabber.org/protocol/disco#info',
  items: 'http://jabber.org/protocol/disco#items',
  occupantId: 'urn:xmpp:occupant-id:0',
  stanzaId: 'urn:xmpp:sid:0',
  archive: 'urn:xmpp:mam:2',
  delay: 'urn:xmpp:delay',
  ping: 'urn:xmpp:ping',
} as const;

export const AFFILIATIONS = ['owner', 'admin', 'member', 'none', 'outcast'] as const;
export type Affiliation = (typeof AFFILIATIONS)[number];

export const toElements = (element: Element): Element[] =>
  element.children.filter((child): child is Element => typeof child === 'object');

/** Returns the only child of that name; null if there are several, because one of them is forged. */
export function onlyChild(element: Element, name: string, namespace: string): Element | null {
  const found = element.getChildren(name, namespace);
  return found.length === 1 ? found[0]! : null;
}

export interface JoinOptions {
  password: string | null;
  /** The time from which history is sent; null for none. */
  since: Date | null;
}

export const joinPresence = (occupant: string, { password, since }: JoinOptions): Element =>
  xml(
    'presence',
    { to: occupant },
    xml(
      'x',
      { xmlns: MUC.muc },
      xml('history', since ? { since: since.toISOString() } : { maxstanzas: '0' }),
      ...(password === null ? [] : [xml('password', {}, password)]),
    ),
  );

export const leavePresence = (occupant: string): Element =>
  xml('presence', { to: occupant, type: 'unavailable' });

/** Sets an affiliation by `jid`, or a role by `nick`. */
export const adminItem = (item: {
  jid?: string;
  nick?: string;
  affiliation?: Affiliation;
  role?: string;
}): Element => xml('query', { xmlns: MUC.admin }, xml('item', { ...item }));

export const subjectMessage = (room: string, id: string, subject: string): Element =>
  xml('message', { to: room, type: 'groupchat', id }, xml('subject', {}, subject));

/** Builds an invitation that the room forwards, with its password if it has one. */
export const mediatedInvite = (room: string, id: string, to: string): Element =>
  xml('message', { to: room, id }, xml('x', { xmlns: MUC.user }, xml('invite', { to })));

/** Builds an invitation that goes directly to the person (XEP-0249). */
export const directInvite = (room: string, id: string, to: string, password: string | null): Element =>
  xml(
    'message',
    { to, id },
    xml('x', { xmlns: MUC.conference, jid: room, ...(password !== null && { password }) }),
  );

/** Builds a submitted form. */
export const submit = (type: string, fields: Readonly<Record<string, string>>): Element =>
  xml(
    'x',
    { xmlns: MUC.data, type: 'submit' },
    xml('field', { var: 'FORM_TYPE', type: 'hidden' }, xml('value', {}, type)),
    ...Object.entries(fields).map(([name, value]) => xml('field', { var: name }, xml('value', {}, value))),
  );

/** Returns the first value of each field of a form, by name. */
export function formFields(form: Element | null | undefined): Map<string, string> {
  const fields = form?.getChildren('field') ?? [];
  return new Map(
    fields.flatMap((field) =>
      typeof field.attrs['var'] === 'string'
        ? [[field.attrs['var'], field.getChildText('value') ?? ''] as const]
        : [],
    ),
  );
}

export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';
