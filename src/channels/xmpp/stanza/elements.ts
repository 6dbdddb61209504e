/** Reads parts of stanzas. Strangers write them, so malformed parts are treated as missing. */
import type { Element } from '@xmpp/xml';
import { NS } from './namespaces.ts';

/** Longer IDs are ignored, because they could not be returned unchanged. */
const MAX_ID = 1_000;

const isElement = (node: unknown): node is Element => typeof node === 'object' && node !== null;

/** Returns the first child of that name in the stanza's own namespace, such as `<body/>`. */
export const ownChild = (stanza: Element, name: string): Element | null =>
  (stanza.children.find(
    (child) =>
      isElement(child) &&
      child.getName() === name &&
      (child.getNS() ?? NS.client) === (stanza.getNS() ?? NS.client),
  ) as Element | undefined) ?? null;

export const ownText = (stanza: Element, name: string): string | null =>
  ownChild(stanza, name)?.getText() ?? null;

export const getChild = (element: Element, name: string, namespace: string): Element | null =>
  element.getChild(name, namespace) ?? null;

/** Returns at most `max` children. More are only sent to cause work. */
export const getChildren = (element: Element, name: string, namespace: string, max: number): Element[] =>
  element.getChildren(name, namespace).slice(0, max);

export const getAttribute = (element: Element, name: string): string | null => {
  const value: unknown = element.attrs[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Returns an ID attribute; null if it is missing or too long. */
export const idIn = (element: Element, name = 'id'): string | null => {
  const id = getAttribute(element, name);
  return id !== null && id.length <= MAX_ID ? id : null;
};

/** Returns a time in the format of XEP-0082; null if it is invalid. */
export function timeIn(element: Element, name = 'stamp'): Date | null {
  const stamp = getAttribute(element, name);
  if (stamp === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(stamp))
    return null;
  const at = new Date(stamp);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Whether the server was asked not to store the stanza. */
export const isTransient = (stanza: Element): boolean =>
  getChild(stanza, 'no-store', NS.hints) !== null ||
  getChild(stanza, 'no-permanent-store', NS.hints) !== null;
