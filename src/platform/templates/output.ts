/**
 * Where a template's text is gathered. In kinds that make JSON it knows whether it is within quotes: there a value is
 * text, escaped for the markup of its kind and for JSON; outside of them it is written as a JSON value. So nothing that
 * is put in can end a string or add a member.
 */
import { ExactNumber } from '../json/exact-number.ts';
import { escapeMarkup } from './escape.ts';
import { type Limits, OverLimit } from './limits.ts';
import { MAX_RENDERED, type TemplateKind } from './templates.ts';
import { Json, plain, Raw, Written } from './values.ts';

/** As LiquidJS wants it. */
export interface Emitter {
  buffer: string;
  write(part: unknown): void;
}

/** What `{% capture %}` gathers: plain text, which is escaped when it is put out. */
export class CaptureEmitter implements Emitter {
  buffer = '';
  readonly #limits: Limits;
  constructor(limits: Limits) {
    this.#limits = limits;
  }
  write(part: unknown): void {
    const text = plain(part);
    this.#limits.use(text.length);
    this.buffer += text;
  }
}

/** A value with all texts in it escaped for a kind's markup. */
function withMarkupEscaped(value: unknown, escape: (text: string) => string): unknown {
  if (typeof value === 'string') return escape(value);
  if (Array.isArray(value)) return value.map((item) => withMarkupEscaped(item, escape));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withMarkupEscaped(item, escape)]),
  );
}

/** The text of a template's output. */
export class OutputEmitter implements Emitter {
  buffer = '';
  readonly #kind: TemplateKind;
  #quoted = false;
  #afterBackslash = false;
  constructor(kind: TemplateKind) {
    this.#kind = kind;
  }

  write(part: unknown): void {
    const json = this.#kind !== 'text' && this.#kind !== 'condition';
    let text: string;
    if (!json) text = plain(part);
    else if (part instanceof Written) text = this.#asJson(part.value);
    else {
      text = plain(part);
      this.#follow(text);
    }
    if (this.buffer.length + text.length > MAX_RENDERED)
      throw new OverLimit(
        'template_too_large',
        `it makes more than ${MAX_RENDERED.toLocaleString('en-US')} characters`,
      );
    this.buffer += text;
  }

  #asJson(value: unknown): string {
    const escape = escapeMarkup[this.#kind];
    if (this.#quoted) {
      const text = value instanceof Raw ? value.text : escape(plain(value));
      return JSON.stringify(text).slice(1, -1);
    }
    if (value instanceof Raw) return JSON.stringify(value.text);
    const whole = value instanceof Json ? value.value : value;
    return JSON.stringify(withMarkupEscaped(whole ?? null, escape)) ?? 'null';
  }

  /** Keeps track of quotes in the template's own letters. */
  #follow(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (this.#afterBackslash) this.#afterBackslash = false;
      else if (code === 92) this.#afterBackslash = this.#quoted;
      else if (code === 34) this.#quoted = !this.#quoted;
    }
  }
}
