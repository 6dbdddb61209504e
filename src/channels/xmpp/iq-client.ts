/**
 * Sends requests (`iq`) and matches their responses. A response is accepted only from the entity that was asked and
 * with a secret ID; otherwise anyone who can write to the account could respond in place of its server.
 */
import { randomBytes } from 'node:crypto';
import xml, { type Element } from '@xmpp/xml';
import { DriverError } from '../contract/driver-error.ts';
import { readFull } from './wire/address.ts';
import { lost, toStanzaError, unknown } from './wire/errors.ts';
import type { XmppStream } from './session/stream.ts';

const ANSWER_MS = 30_000;
/** Maximum pending requests. */
const MAX_OPEN = 1000;

/** An entity that never responds must not end the connection for all others. */
const tooMany = (): DriverError =>
  new DriverError('busy', 'busy', 'Too many requests are waiting for responses.');

export interface IqClient {
  ask: XmppStream['ask'];
  onAnswer(stanza: Element): void;
  /** Fails all pending requests. */
  end(fault: DriverError): void;
}

interface Open {
  /** Normalized; null for the account's own server side. */
  to: string | null;
  answered(stanza: Element): void;
  failed(fault: DriverError): void;
}

export function createIqClient(deps: {
  account: string;
  domain: string;
  fullJid: string;
  write(stanza: Element): Promise<void>;
}): IqClient {
  const { account, domain, fullJid, write } = deps;
  const secret = randomBytes(9).toString('base64url');
  const own = readFull(fullJid);
  const open = new Map<string, Open>();
  let count = 0;

  const isFrom = (asked: string | null, from: string | undefined): boolean => {
    const by = from === undefined ? null : readFull(from);
    if (from !== undefined && by === null) return false;
    // RFC 6120, 8.1.2.1: the account's server responds as the account or without an address; some respond as the
    // server.
    const isOwnSide = by === null || by === account || by === own || by === domain;
    return asked === null || asked === account
      ? isOwnSide
      : by === asked || (asked === domain && by === null);
  };

  return {
    async ask({ to, type, payload }, signal) {
      const id = `${secret}${(count++).toString(36)}`;
      if (signal?.aborted) throw lost('given_up', 'The call was canceled.');
      if (open.size >= MAX_OPEN) throw tooMany();
      const { promise, resolve, reject } = Promise.withResolvers<Element>();
      promise.catch(() => undefined); // if writing fails first
      open.set(id, { to: to === null ? null : readFull(to), answered: resolve, failed: reject });
      const giveUp = (): void => reject(unknown('The server did not answer in time.'));
      const timer = setTimeout(giveUp, ANSWER_MS);
      signal?.addEventListener('abort', giveUp);
      try {
        await write(xml('iq', { type, id, ...(to === null ? {} : { to }) }, payload));
        const answer = await promise;
        if (answer.attrs['type'] === 'error') throw toStanzaError(answer);
        return answer.children.find((child): child is Element => typeof child === 'object') ?? null;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        open.delete(id);
      }
    },
    onAnswer(stanza) {
      const asked = open.get(String(stanza.attrs['id']));
      if (asked && isFrom(asked.to, stanza.attrs['from'] as string | undefined)) asked.answered(stanza);
    },
    end(fault) {
      for (const { failed } of open.values())
        failed(unknown('The connection ended before the answer.', fault));
    },
  };
}
