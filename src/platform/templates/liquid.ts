/**
 * LiquidJS, as narrow as it gets: no files, no globals, own properties only, nothing that evaluates text, and our own
 * counters. Runs in template workers alone.
 */
import {
  Context,
  defaultOperators,
  Drop,
  Liquid,
  type Template as Parsed,
  Tokenizer,
  toValueSync,
  TypeGuards,
  Value,
} from 'liquidjs';
import { compareDecimals, ExactNumber } from '../json/exact-number.ts';
import { parseForeignJson } from '../json/foreign-json.ts';
import { parseLossless } from '../json/lossless-json.ts';
import { explainCondition } from './condition-fault.ts';
import { templateFilters } from './filters.ts';
import { type Clock, createLimits, type Limits, OverLimit } from './limits.ts';
import { CaptureEmitter, type Emitter, OutputEmitter } from './output.ts';
import {
  MAX_TEMPLATE,
  type Rendered,
  RENDERED_BOUNDS,
  type Template,
  type TemplateError,
} from './templates.ts';
import { plain, Written } from './values.ts';

/** Those that read files, or make sense only with them. */
const NO_TAGS = ['include', 'render', 'layout', 'block'];
/** What templates may ask of what LiquidJS itself puts into scope. */
const OF_LOOPS = new Set([
  'first',
  'last',
  'index',
  'index0',
  'rindex',
  'rindex0',
  'length',
  'name',
  'col',
  'col0',
  'col_first',
  'col_last',
  'row',
]);

class OwnContext extends Context {
  override readProperty(of: never, name: never): unknown {
    if ((of as unknown) instanceof Drop && !OF_LOOPS.has(String(name))) return undefined;
    if ((of as unknown) instanceof ExactNumber) return undefined;
    // An index may be written as 1.0.
    const isIndex = Array.isArray(of) && (name as unknown) instanceof ExactNumber;
    return super.readProperty(of, isIndex ? Number(name) : name);
  }
}

/** Number literals that a double would change are kept, so that `payload.id == 8202522731445525542` is exact. */
const readNumber = Tokenizer.prototype.readNumber;
Tokenizer.prototype.readNumber = function (this: Tokenizer) {
  const token = readNumber.call(this);
  if (!token) return token;
  const text = token.getText();
  const double = Number(text);
  if (Number.isFinite(double) && compareDecimals(text, String(double)) === 0) return token;
  // As JSON writes it: Liquid takes `+1`, `01` and `1.` too.
  const source = text.replace(/^\+?(-?)0*(?=\d)/, '$1').replace(/\.$/, '');
  return Object.assign(token, { content: new ExactNumber(source) });
};

/** As LiquidJS has them, but that looking for a text in a text is counted. */
const operators = {
  ...defaultOperators,
  *contains(text: unknown, part: unknown, context: Context): Generator<unknown, boolean, never> {
    if (typeof text === 'string')
      (context.memoryLimit as never as Limits).search(text.length, plain(part).length);
    return yield (defaultOperators.contains as (...given: unknown[]) => unknown)(text, part, context);
  },
};

type Readable = { condition: Value } | { parts: Parsed[] };

function createEngine(): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    operators,
    relativeReference: false,
    dynamicPartials: false,
    templates: {},
    timezoneOffset: 'Etc/UTC',
    locale: 'en-US',
    parseLimit: MAX_TEMPLATE,
    outputEscape: (value: unknown) => new Written(value) as never,
  });
  for (const name of NO_TAGS) delete engine.tags[name];
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
  for (const [name, filter] of Object.entries(templateFilters()))
    engine.registerFilter(name, filter as never);
  // Captures gather without an emitter of their own: theirs would hold what nobody counts.
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (parts, context, emitter) =>
    renderTemplates(parts, context, emitter ?? new CaptureEmitter(context.memoryLimit as never));
  return engine;
}

const getLocation = (error: unknown): string => {
  const { token } = error as { token?: { getPosition?(): [number, number] } };
  if (!token?.getPosition) return '';
  const [line, column] = token.getPosition();
  return `Line ${line}, column ${column}: `;
};

function toError(error: unknown, otherwise: 'template_syntax' | 'template_failed'): TemplateError {
  const cause = (error as { originalError?: unknown }).originalError ?? error;
  const place = getLocation(error);
  if (cause instanceof OverLimit) return { code: cause.code, detail: `${place}${cause.message}` };
  if (cause instanceof RangeError)
    return { code: otherwise, detail: `${place}too deeply nested or too long (${cause.message})` };
  const told = cause instanceof Error ? cause.message : String(cause);
  const detail = told.replace(/, line:\d+, col:\d+$/, '').replaceAll('\n', ' ');
  return { code: otherwise, detail: `${place}${detail}`.slice(0, 1000) };
}

/**
 * Whether an expression, in postfix order, comes to one value. LiquidJS itself takes the first value of `a b`, and none of
 * `a ==`, without a word.
 */
function isWhole(postfix: readonly unknown[]): boolean {
  let values = 0;
  for (const token of postfix) {
    if (!TypeGuards.isOperatorToken(token)) values += 1;
    else if (token.operator === 'not' ? values < 1 : values < 2) return false;
    else if (token.operator !== 'not') values -= 1;
  }
  return values === 1;
}

/**
 * Characters of parsed templates that a worker caches. A parsed template takes up to a hundred bytes per character,
 * rarely more than twenty.
 */
const MAX_KEPT = 256 * 1024;

export function createTemplateEngine() {
  const engine = createEngine();
  /** By kind and source; the longest unused goes first. */
  const kept = new Map<string, Readable>();
  let keptSize = 0;

  function read(template: Template): Readable {
    const name = `${template.kind === 'condition' ? '?' : ' '}${template.source}`;
    let readable = kept.get(name);
    if (readable) kept.delete(name);
    else {
      readable = readNew(template);
      keptSize += name.length;
    }
    kept.set(name, readable);
    for (const oldest of kept.keys()) {
      if (keptSize <= MAX_KEPT) break;
      kept.delete(oldest);
      keptSize -= oldest.length;
    }
    return readable;
  }

  function readNew({ kind, source }: Template): Readable {
    if (kind !== 'condition') return { parts: engine.parse(source) };
    const tokenizer = new Tokenizer(source, engine.options.operators);
    let token;
    try {
      token = tokenizer.readFilteredValue();
    } catch {
      throw new Error(explainCondition(source, source.slice(tokenizer.p)));
    }
    tokenizer.skipBlank();
    if (!tokenizer.end() || !isWhole(token.initial.postfix))
      throw new Error(explainCondition(source, source.slice(tokenizer.p)));
    return { condition: new Value(token, engine) };
  }

  function put(readable: Readable, kind: Template['kind'], variables: object, clock: Clock): string {
    // Each has a scope of its own: increment and decrement write into it.
    const scope = Object.assign(Object.create(null), variables) as object;
    const limits = { memoryLimit: createLimits(), renderLimit: clock, liquid: engine };
    const context = new OwnContext(scope, engine.options, { sync: true }, limits as never);
    if ('condition' in readable) {
      const value: unknown = toValueSync(readable.condition.value(context, false) as never);
      return String(value !== false && value !== undefined && value !== null);
    }
    const emitter: Emitter = new OutputEmitter(kind);
    toValueSync(engine.renderer.renderTemplates(readable.parts, context, emitter as never) as never);
    if (kind !== 'text') parseForeignJson(emitter.buffer, RENDERED_BOUNDS, parseLossless);
    return emitter.buffer;
  }

  const attempt = <T>(
    work: () => T,
    otherwise: 'template_syntax' | 'template_failed',
  ): { done: T; fault: null } | { done: null; fault: TemplateError } => {
    try {
      return { done: work(), fault: null };
    } catch (error) {
      return { done: null, fault: toError(error, otherwise) };
    }
  };

  return {
    check: (template: Template): TemplateError | null =>
      attempt(() => read(template), 'template_syntax').fault,
    /** @param clock one for all that share their time */
    render(template: Template, variables: object, clock: Clock): Rendered {
      const readable = attempt(() => read(template), 'template_syntax');
      if (readable.fault) return { text: null, fault: readable.fault };
      const made = attempt(() => put(readable.done, template.kind, variables, clock), 'template_failed');
      return made.fault ? { text: null, fault: made.fault } : { text: made.done, fault: null };
    },
  };
}
