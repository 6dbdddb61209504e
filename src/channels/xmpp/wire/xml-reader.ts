/**
 * Reads the XML of a stream (RFC 6120, section 11) as it arrives. The other end is untrusted, so its data is limited
 * before it becomes an element: characters, depth, and the number of parts, which determines memory use. XML that XMPP
 * forbids (DOCTYPE, custom entities, comments, processing instructions) ends the stream.
 */
import { Element } from '@xmpp/xml';

export interface XmlLimits {
  /** Maximum length of one stanza, in UTF-16 units. */
  characters: number;
  depth: number;
  /** Maximum elements and attributes of one stanza. */
  parts: number;
}

const XML_LIMITS: XmlLimits = {
  // A roster is one stanza, so this allows some 30,000 contacts.
  characters: 4_194_304,
  depth: 64,
  parts: 200_000,
};

export interface XmlListener {
  /** Called with the stream's own start tag. */
  onHeader(header: Element): void;
  /** Called with each complete child of the stream. It may call `stop`. */
  onElement(element: Element): void;
  /** Called at the stream's end tag. */
  onFooter(): void;
}

export class XmlError extends Error {
  /** A condition of RFC 6120, 4.9.3. */
  readonly condition: 'policy-violation' | 'restricted-xml' | 'not-well-formed';

  constructor(condition: XmlError['condition'], detail: string) {
    super(detail);
    this.condition = condition;
  }
}

const malformed = (): XmlError => new XmlError('not-well-formed', 'What the server sent is no XML.');
const tooMuch = (what: string): XmlError =>
  new XmlError('policy-violation', `The server sent a stanza with too many ${what}.`);

// oxlint-disable-next-line eslint/no-control-regex -- characters that XML forbids
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const NAME = /[^\s"'&/<=>!?]+/y;
const ATTRIBUTE = /\s+([^\s"'&/<=>!?]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;
const END_TAG = /^<\/([^\s"'&/<=>!?]+)\s*>$/;
const DECLARATION = /^<\?xml\s[^<]*\?>$/;
const REFERENCE = /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));|&/g;
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CDATA = '<![CDATA[';

function decode(given: string): string {
  const text = plain(given);
  if (!text.includes('&')) return text;
  return text.replaceAll(REFERENCE, (_, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name]!;
    if (hex === undefined && decimal === undefined)
      throw new XmlError('restricted-xml', 'The server sent an entity of its own.');
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (point > 0x10_ffff || (point >= 0xd8_00 && point <= 0xdf_ff)) throw malformed();
    const character = String.fromCodePoint(point);
    if (FORBIDDEN.test(character)) throw malformed();
    return character;
  });
}

export class XmlReader {
  readonly #listener: XmlListener;
  readonly #limits: XmlLimits;
  /** The current token: text, tag or CDATA section. Its pieces are joined when it ends. */
  #state: 'text' | 'tag' | 'cdata' = 'text';
  #pieces: string[] = [];
  /** The open quote within a tag. */
  #quote = '';
  #root: Element | null = null;
  #at: Element | null = null;
  #depth = 0;
  #characters = 0;
  #parts = 0;
  #isStopped = false;
  #hasDeclaration = false;

  constructor(listener: XmlListener, limits: XmlLimits = XML_LIMITS) {
    this.#listener = listener;
    this.#limits = limits;
  }

  /** Stops reading, and drops the rest of the chunk. */
  stop(): void {
    this.#isStopped = true;
    this.#pieces = [];
  }

  /** @param chunk a piece of the stream, split between any two characters. @throws XmlError */
  write(chunk: string): void {
    let from = 0;
    while (from < chunk.length && !this.#isStopped) {
      const end = this.#getEnd(chunk, from);
      const until = end === -1 ? chunk.length : end;
      if (this.#state === 'text' && this.#isBetween()) {
        // White space between stanzas keeps a connection alive for years, so it is not counted. Anything else is not
        // XMPP.
        if (!isBlank(chunk, from, until)) throw malformed();
        from = until;
        if (end !== -1) this.#state = 'tag';
        continue;
      }
      this.#characters += until - from;
      if (this.#characters > this.#limits.characters) throw tooMuch('characters');
      if (until > from) this.#pieces.push(chunk.slice(from, until));
      from = until;
      if (end !== -1) this.#finish();
    }
  }

  /** Returns where the current text, tag or section ends in the chunk; -1 if it continues. */
  #getEnd(chunk: string, from: number): number {
    if (this.#state === 'text') return chunk.indexOf('<', from);
    for (let at = from; ; at++) {
      at = this.#state === 'cdata' || this.#quote !== '' ? this.#closing(chunk, at) : getNext(chunk, at);
      if (at === -1) return -1;
      const character = chunk[at]!;
      if (this.#state === 'cdata') {
        if (this.#endsSection(chunk, from, at)) return at + 1;
      } else if (this.#quote !== '') this.#quote = '';
      else if (character === '>') return at + 1;
      else if (character === '[') {
        if (this.#head(chunk, from, at + 1) === CDATA) this.#state = 'cdata';
      } else this.#quote = character;
    }
  }

  #closing(chunk: string, at: number): number {
    return chunk.indexOf(this.#state === 'cdata' ? '>' : this.#quote, at);
  }

  /** Returns the beginning of the current token, at most as long as that of a CDATA section. */
  #head(chunk: string, from: number, until: number): string {
    const open = this.#pieces.length > 8 ? '' : this.#pieces.join('');
    return open.length > CDATA.length ? '' : open + chunk.slice(from, Math.min(until, from + CDATA.length));
  }

  #endsSection(chunk: string, from: number, at: number): boolean {
    const before = at - from >= 2 ? chunk.slice(at - 2, at) : this.#tail() + chunk.slice(from, at);
    return before.endsWith(']]');
  }

  #tail(): string {
    return this.#pieces.slice(-2).join('').slice(-2);
  }

  #finish(): void {
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
    this.#pieces = [];
    const state = this.#state;
    this.#state = state === 'text' ? 'tag' : 'text';
    if (state === 'text') this.#onText(decode(whole));
    else if (state === 'cdata') this.#onText(plain(whole.slice(CDATA.length, -3)));
    else if (whole.startsWith('</')) this.#onEndTag(whole);
    else if (whole.startsWith('<!') || whole.startsWith('<?')) this.#onDeclaration(whole);
    else this.#onStartTag(whole);
  }

  #onText(text: string): void {
    // It may also be a CDATA section.
    if (this.#isBetween()) throw malformed();
    if (text !== '') this.#at!.t(text);
  }

  #isBetween(): boolean {
    return this.#at === null || this.#at === this.#root;
  }

  #onDeclaration(tag: string): void {
    if (this.#root !== null || this.#hasDeclaration || !DECLARATION.test(tag))
      throw new XmlError('restricted-xml', 'The server sent a kind of XML that has no place in a stream.');
    this.#hasDeclaration = true;
  }

  #onStartTag(tag: string): void {
    const { element, isEmpty } = readStartTag(tag, (parts) => {
      this.#parts += parts;
      if (this.#parts > this.#limits.parts) throw tooMuch('parts');
    });
    const [root, at] = [this.#root, this.#at];
    if (root === null) {
      this.#root = element;
      this.#at = element;
      this.#startAnew();
      this.#listener.onHeader(element);
      if (isEmpty) this.#listener.onFooter();
      return;
    }
    if (at === null) throw malformed();
    if (at === root) element.parent = root; // for its namespaces; it is not added to the root's children
    else at.cnode(element);
    this.#at = element;
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) throw tooMuch('levels');
    if (isEmpty) this.#close();
  }

  #onEndTag(tag: string): void {
    const name = END_TAG.exec(tag)?.[1];
    if (name === undefined || this.#at?.name !== name) throw malformed();
    if (this.#at !== this.#root) return this.#close();
    this.#at = null;
    this.#listener.onFooter();
  }

  #close(): void {
    const element = this.#at!;
    const parent = element.parent as Element;
    this.#at = parent;
    this.#depth -= 1;
    if (parent !== this.#root) return;
    this.#startAnew();
    this.#listener.onElement(element);
  }

  #startAnew(): void {
    this.#characters = 0;
    this.#parts = 0;
  }
}

/** Returns the text with line breaks normalized as in XML. */
function plain(text: string): string {
  if (FORBIDDEN.test(text)) throw malformed();
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function isBlank(chunk: string, from: number, until: number): boolean {
  for (let at = from; at < until; at++) {
    const code = chunk.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return false;
  }
  return true;
}

/** Returns the position of the next significant character within a tag. */
function getNext(chunk: string, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const code = chunk.charCodeAt(at);
    if (code === 62 /* > */ || code === 34 /* " */ || code === 39 /* ' */ || code === 91 /* [ */) return at;
  }
  return -1;
}

function readStartTag(tag: string, count: (parts: number) => void): { element: Element; isEmpty: boolean } {
  if (FORBIDDEN.test(tag)) throw malformed();
  NAME.lastIndex = 1;
  const [name] = NAME.exec(tag) ?? [];
  if (name === undefined) throw malformed();
  count(1);
  const attributes: Record<string, string> = {};
  let at = 1 + name.length;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(tag);
    if (!found) break;
    count(1);
    const key = found[1]!;
    if (Object.hasOwn(attributes, key)) throw malformed();
    attributes[key] = decode(found[2] ?? found[3]!);
    at = ATTRIBUTE.lastIndex;
  }
  TAG_END.lastIndex = at;
  const end = TAG_END.exec(tag);
  if (!end || TAG_END.lastIndex !== tag.length) throw malformed();
  return { element: new Element(name, attributes), isEmpty: end[1] === '/' };
}
