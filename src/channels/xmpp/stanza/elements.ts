/** Looking into stanzas, which strangers wrote: what is not as it should be is not there. */
import type { Element } from '@xmpp/xml';
import { NS } from './namespaces.ts';

/** Longer ones are nobody's: they could not be given back whole. */
const MAX_ID = 1_000;

const isElement = (node: unknown): node is Element => typeof node === 'object' && node !== null;

/** The first child of that name in the stanza's own namespace, as `<body/>` is. */
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

/** At most so many: what is further behind was written to make work. */
export const getChildren = (element: Element, name: string, namespace: string, max: number): Element[] =>
  element.getChildren(name, namespace).slice(0, max);

export const getAttribute = (element: Element, name: string): string | null => {
  const value: unknown = element.attrs[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** An attribute that names something. */
export const idIn = (element: Element, name = 'id'): string | null => {
  const id = getAttribute(element, name);
  return id !== null && id.length <= MAX_ID ? id : null;
};

/** A time as XEP-0082 has it; null for what is none. */
export function timeIn(element: Element, name = 'stamp'): Date | null {
  const stamp = getAttribute(element, name);
  if (stamp === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(stamp))
    return null;
  const at = new Date(stamp);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Whether the server was asked not to keep it. */
export const isTransient = (stanza: Element): boolean =>
  getChild(stanza, 'no-store', NS.hints) !== null ||
  getChild(stanza, 'no-permanent-store', NS.hints) !== null;
