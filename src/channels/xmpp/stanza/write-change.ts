/**
 * Corrections, retractions, reactions, markers and receipts as stanzas. They have no words of their own, or such as only
 * old clients show, so servers are asked to keep them for who is away (XEP-0334).
 */
import xml, { type Element } from '@xmpp/xml';
import { NS } from './namespaces.ts';
import { newServiceId } from './names.ts';
import { getChatType, type Target } from './target.ts';
import { xmlText } from './text.ts';

/** What clients show that know no retractions. */
const RETRACTED = 'A message was retracted, but your client does not support that.';

const change = (target: Target, ...children: Element[]): Element =>
  xml(
    'message',
    { to: target.address, type: getChatType(target), id: newServiceId() },
    ...children,
    ...(target.isOccupant ? [xml('x', { xmlns: NS.mucUser })] : []),
    xml('store', { xmlns: NS.hints }),
  );

/** @param id that the message was sent under */
export const writeCorrection = (target: Target, id: string, text: string): Element =>
  change(target, xml('body', {}, xmlText(text)), xml('replace', { xmlns: NS.correct, id: xmlText(id) }));

/** @param id that the message was sent under; in a room, what the room calls it */
export const writeRetraction = (target: Target, id: string): Element =>
  change(
    target,
    xml('retract', { xmlns: NS.retract, id: xmlText(id) }),
    xml('fallback', { xmlns: NS.fallback, for: NS.retract }),
    xml('body', {}, RETRACTED),
  );

/** @param emoji null takes it back */
export const writeReaction = (target: Target, id: string, emoji: string | null): Element =>
  change(
    target,
    xml(
      'reactions',
      { xmlns: NS.reactions, id: xmlText(id) },
      ...(emoji === null ? [] : [xml('reaction', {}, xmlText(emoji))]),
    ),
  );

/** All up to this one is read. */
export const writeDisplayed = (target: Target, id: string): Element =>
  change(target, xml('displayed', { xmlns: NS.markers, id: xmlText(id) }));

/** It arrived, and is kept. @param to whoever asked */
export const writeReceipt = (to: string, id: string): Element =>
  xml(
    'message',
    { to, type: 'chat', id: newServiceId() },
    xml('received', { xmlns: NS.receipts, id }),
    xml('store', { xmlns: NS.hints }),
  );
