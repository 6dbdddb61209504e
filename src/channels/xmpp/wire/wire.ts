/**
 * Carries XML over one TCP connection: text out, elements in. Of the protocol it knows only that a stream begins, may
 * restart, and ends, and that a `<stream:error/>` ends it. It never follows a redirect in one (`see-other-host`).
 */
import type net from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type tls from 'node:tls';
import { domainToASCII } from 'node:url';
import type { Element } from '@xmpp/xml';
import { escapeXML } from '@xmpp/xml';
import { secure } from '../../../platform/egress/tls.ts';
import { type DriverError } from '../../contract/driver-error.ts';
import { lost, toNetworkError, toStreamError, unknown } from './errors.ts';
import { NS } from './namespaces.ts';
import { XmlError, XmlReader } from './xml-reader.ts';

/** Maximum waiting elements during negotiation, in which the sides take turns. */
const MAX_WAITING = 32;
/** Maximum unsent bytes, so that a server that doesn't read can't fill our memory. */
const MAX_UNSENT = 8_388_608;
const CLOSING_MS = 1000;

// oxlint-disable-next-line eslint/no-control-regex -- characters that XML forbids
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Returns the name for which the server's certificate must be valid. */
export const nameOfDomain = (domain: string): string => domainToASCII(domain).replaceAll(/^\[|\]$/g, '');

/** Replaces forbidden characters, any of which would end the whole stream. */
const writable = (text: string): string => text.toWellFormed().replaceAll(FORBIDDEN, '\ufffd');

export class Wire {
  #socket: net.Socket;
  #decoder = new StringDecoder('utf8');
  #reader: XmlReader | null = null;
  #waiting: Element[] = [];
  #waiter: PromiseWithResolvers<Element> | null = null;
  #listener: ((element: Element) => void) | null = null;
  #ended: DriverError | null = null;
  #isClosing = false;
  /** Called once. */
  #onEnd: ((fault: DriverError) => void) | null = null;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    this.#attach();
  }

  get ended(): DriverError | null {
    return this.#ended;
  }

  #attach(): void {
    const socket = this.#socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  #detach(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    try {
      this.#reader?.write(this.#decoder.write(chunk));
    } catch (error) {
      if (!(error instanceof XmlError)) {
        // A bug in our code must not end the process for all accounts.
        this.end(lost('program_fault', 'The server sent data that could not be parsed.', error));
        return;
      }
      this.#socket.write(
        `<stream:error><${error.condition} xmlns='${NS.streams}'/></stream:error></stream:stream>`,
      );
      this.end(toNetworkError(error));
    }
  };
  readonly #onError = (error: Error): void => this.end(toNetworkError(error));
  readonly #onClose = (): void => this.end(lost('connection_lost', 'The server ended the connection.'));

  #take(element: Element): void {
    if (element.is('error', NS.stream)) return this.end(toStreamError(element));
    if (this.#listener) return this.#listener(element);
    if (this.#waiter) {
      this.#waiter.resolve(element);
      this.#waiter = null;
      return;
    }
    this.#waiting.push(element);
    if (this.#waiting.length > MAX_WAITING)
      this.end(lost('invalid_stream', 'The server sent data before the stream was opened.'));
  }

  /** Starts or restarts the stream. @returns the server's stream features. @throws DriverError */
  async begin(domain: string): Promise<Element> {
    this.#reader?.stop();
    this.#waiting = [];
    this.#reader = new XmlReader({
      onHeader: (header) => {
        if (!header.is('stream', NS.stream)) throw new XmlError('not-well-formed', 'This is no XMPP server.');
      },
      onElement: (element) => this.#take(element),
      onFooter: () => this.end(lost('connection_lost', 'The server ended the stream.')),
    });
    await this.write(
      `<?xml version='1.0'?><stream:stream to='${escapeXML(domain)}' version='1.0' xml:lang='en' xmlns='${NS.client}' xmlns:stream='${NS.stream}'>`,
    );
    const features = await this.next();
    if (!features.is('features', NS.stream))
      throw lost('invalid_stream', 'The server did not send its stream features.');
    return features;
  }

  /** Returns the next element during negotiation. @throws DriverError */
  async next(): Promise<Element> {
    const first = this.#waiting.shift();
    if (first) return first;
    if (this.#ended) throw this.#ended;
    this.#waiter = Promise.withResolvers<Element>();
    return this.#waiter.promise;
  }

  /** Switches to TLS and discards everything received before. @throws DriverError */
  async secure(domain: string, options: tls.ConnectionOptions, signal: AbortSignal): Promise<void> {
    // Otherwise data injected after the last plain-text element would be treated as if it came over TLS.
    if (this.#waiting.length > 0)
      throw lost('invalid_stream', 'The server sent data before TLS was established.');
    this.#reader?.stop();
    this.#reader = null;
    this.#detach();
    this.#decoder = new StringDecoder('utf8');
    const plain = this.#socket;
    try {
      this.#socket = await secure(plain, nameOfDomain(domain), options, signal);
    } catch (error) {
      plain.destroy();
      const fault = toNetworkError(error);
      this.end(fault);
      throw fault;
    }
    this.#attach();
  }

  /** Passes every further element to `listener`, and the end to `onEnd`, even if it has already happened. */
  listen(listener: (element: Element) => void, onEnd: (fault: DriverError) => void): void {
    this.#listener = listener;
    const [waiting, ended] = [this.#waiting, this.#ended];
    this.#waiting = [];
    for (const element of waiting) listener(element);
    if (ended) onEnd(ended);
    else this.#onEnd = onEnd;
  }

  /**
   * Resolves once the operating system has the text.
   * @throws DriverError lost if it never will; unknown if it may have been sent
   */
  write(text: string): Promise<void> {
    if (this.#ended || this.#isClosing)
      return Promise.reject(this.#ended ?? lost('closed', 'The connection is closed.'));
    if (this.#socket.writableLength > MAX_UNSENT) {
      const fault = lost('not_read', 'The server stopped reading from the connection.');
      this.end(fault);
      return Promise.reject(fault);
    }
    return new Promise((resolve, reject) => {
      this.#socket.write(writable(text), (error) =>
        error ? reject(unknown('The connection broke while it was written to.', error)) : resolve(),
      );
    });
  }

  /** The number of bytes that the operating system has not accepted yet. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }
  resume(): void {
    this.#socket.resume();
  }

  /** Ends the stream for a reason, which is reported once. */
  end(fault: DriverError): void {
    if (this.#ended) return;
    this.#ended = fault;
    this.#reader?.stop();
    this.#waiter?.reject(fault);
    this.#waiter = null;
    if (!this.#isClosing) this.#socket.destroy();
    this.#onEnd?.(fault);
  }

  /** Closes the stream within a second, without reporting it. */
  close(): Promise<void> {
    const socket = this.#socket;
    if (this.#isClosing || socket.destroyed) {
      this.#onEnd = null;
      this.end(lost('closed', 'The connection is closed.'));
      socket.destroy();
      return Promise.resolve();
    }
    this.#isClosing = true;
    this.#onEnd = null;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end('</stream:stream>');
    // Data that still arrives is discarded.
    this.end(lost('closed', 'The connection is closed.'));
    socket.resume();
    return promise;
  }
}
