/**
 * Builds corrections, retractions, reactions, markers and receipts. They have no text, or only a fallback, so servers
 * are asked to store them for recipients who are offline (XEP-0334).
 */
import xml, { type Element } from '@xmpp/xml';
import { NS } from './namespaces.ts';
import { newServiceId } from './names.ts';
import { getChatType, type Target } from './target.ts';
import { xmlText } from './text.ts';

/** The fallback text for clients without support for retractions. */
const RETRACTED = 'A message was retracted, but your client does not support that.';

const change = (target: Target, ...children: Element[]): Element =>
  xml(
    'message',
    { to: target.address, type: getChatType(target), id: newServiceId() },
    ...children,
    ...(target.isOccupant ? [xml('x', { xmlns: NS.mucUser })] : []),
    xml('store', { xmlns: NS.hints }),
  );

/** @param id the ID under which the message was sent */
export const writeCorrection = (target: Target, id: string, text: string): Element =>
  change(target, xml('body', {}, xmlText(text)), xml('replace', { xmlns: NS.correct, id: xmlText(id) }));

/** @param id the ID under which the message was sent; in a room, the room's ID of it */
export const writeRetraction = (target: Target, id: string): Element =>
  change(
    target,
    xml('retract', { xmlns: NS.retract, id: xmlText(id) }),
    xml('fallback', { xmlns: NS.fallback, for: NS.retract }),
    xml('body', {}, RETRACTED),
  );

/** @param emoji null removes the reaction */
export const writeReaction = (target: Target, id: string, emoji: string | null): Element =>
  change(
    target,
    xml(
      'reactions',
      { xmlns: NS.reactions, id: xmlText(id) },
      ...(emoji === null ? [] : [xml('reaction', {}, xmlText(emoji))]),
    ),
  );

/** Builds a marker that all messages up to this one are read. */
export const writeDisplayed = (target: Target, id: string): Element =>
  change(target, xml('displayed', { xmlns: NS.markers, id: xmlText(id) }));

/** Builds a receipt that a message arrived and is stored. @param to the sender who requested it */
export const writeReceipt = (to: string, id: string): Element =>
  xml(
    'message',
    { to, type: 'chat', id: newServiceId() },
    xml('received', { xmlns: NS.receipts, id }),
    xml('store', { xmlns: NS.hints }),
  );
