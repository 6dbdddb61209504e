/**
 * Message templates of the business account: read from Meta, and filled in when they are sent. The parameters of a message
 * are in the order in which they stand in the template: header, body, buttons.
 */
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import type { ChannelTemplate, TemplateComponent, TemplateState } from '../contract/template.ts';
import type { Graph } from './api.ts';
import { type JsonObject, readObject, readObjects, readText } from './fields.ts';

/** Of a business account, at Meta. */
const MAX_TEMPLATES = 6_000;
const PAGE = 250;
const FIELDS = 'name,status,category,language,components,parameter_format,rejected_reason';
const VARIABLE = /\{\{\s*(\w{1,64})\s*\}\}/g;
const MEDIA_HEADERS = ['image', 'video', 'document'];

/** Where one parameter goes. */
interface Slot {
  /** Name of the variable, from the template or generated. */
  name: string;
  component: 'header' | 'body' | 'button';
  /** Type of the parameter. */
  type: 'text' | 'image' | 'video' | 'document';
  /** Of a button. */
  index: number | null;
}

export interface Template extends ChannelTemplate {
  readonly isNamed: boolean;
  readonly slots: readonly Slot[];
  /** Why it cannot be sent with texts alone; null if it can. */
  readonly unsupported: string | null;
}

const STATES: Readonly<Record<string, TemplateState>> = {
  APPROVED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  REJECTED: 'rejected',
  PAUSED: 'paused',
};

/** Numbered variables by their number, named ones as they stand in the text. */
const variablesIn = (text: string | null): string[] => {
  const names = [...new Set([...(text ?? '').matchAll(VARIABLE)].map(([, name]) => name!))];
  return names.every((name) => /^\d+$/.test(name))
    ? names.toSorted((one, other) => Number(one) - Number(other))
    : names;
};

const textSlots = (component: Slot['component'], text: string | null, index: number | null = null): Slot[] =>
  variablesIn(text).map((name) => ({ name, component, type: 'text', index }));

function headerSlots(header: JsonObject | undefined): Slot[] {
  const format = readText(header?.['format'])?.toLowerCase() ?? '';
  if (MEDIA_HEADERS.includes(format))
    return [{ name: `header_${format}_url`, component: 'header', type: format as Slot['type'], index: null }];
  return format === 'text' ? textSlots('header', readText(header?.['text'])) : [];
}

function buttonSlots(buttons: Json | undefined): Slot[] {
  return readObjects(buttons).flatMap((button, index) =>
    button['type'] === 'URL' ? textSlots('button', readText(button['url']), index) : [],
  );
}

/** Returns the part of a template that messages here don't support. */
function getUnsupported(components: readonly JsonObject[]): string | null {
  const has = (test: (component: JsonObject) => boolean): boolean => components.some(test);
  if (has(({ format }) => format === 'LOCATION')) return 'a location';
  if (has(({ type }) => type === 'CAROUSEL')) return 'a carousel';
  const isCoupon = ({ type }: JsonObject): boolean => type === 'COPY_CODE';
  return has(({ buttons }) => readObjects(buttons).some(isCoupon)) ? 'a coupon code' : null;
}

function toComponents(components: readonly JsonObject[], slots: readonly Slot[]): TemplateComponent[] {
  const count = (kind: Slot['component'], index: number | null): number =>
    slots.filter((slot) => slot.component === kind && slot.index === index).length;
  return components.flatMap((one): TemplateComponent[] => {
    const text = readText(one['text']);
    switch (one['type']) {
      case 'HEADER':
        return [
          {
            kind: 'header',
            format: readText(one['format'])?.toLowerCase() ?? 'text',
            text,
            variables: count('header', null),
          },
        ];
      case 'BODY':
        return [{ kind: 'body', format: 'text', text, variables: count('body', null) }];
      case 'FOOTER':
        return [{ kind: 'footer', format: 'text', text, variables: 0 }];
      case 'BUTTONS':
        return readObjects(one['buttons']).map((button, index) => ({
          kind: 'button',
          format: 'text',
          text: readText(button['text']),
          variables: count('button', index),
        }));
      default:
        return [];
    }
  });
}

/** Returns null if it is no template. */
export function readTemplate(json: JsonObject): Template | null {
  const [name, language, status] = ['name', 'language', 'status'].map((field) => readText(json[field]));
  if (!name || !language || !status) return null;
  const components = readObjects(json['components']);
  const find = (type: string): JsonObject | undefined => components.find((one) => one['type'] === type);
  const slots = [
    ...headerSlots(find('HEADER')),
    ...textSlots('body', readText(find('BODY')?.['text'])),
    ...buttonSlots(find('BUTTONS')?.['buttons']),
  ];
  const needed = getUnsupported(components);
  const unsupported = needed && `It needs ${needed}, which a message cannot have here.`;
  const reason = json['rejected_reason'] === 'NONE' ? null : readText(json['rejected_reason']);
  return {
    name,
    language,
    category: readText(json['category'])?.toLowerCase() ?? null,
    // A template that cannot be filled in is rejected before the message is queued, with the reason.
    state: unsupported === null ? (STATES[status] ?? 'disabled') : 'disabled',
    reason: unsupported ?? reason,
    components: toComponents(components, slots),
    isNamed: json['parameter_format'] === 'NAMED',
    slots,
    unsupported,
  };
}

async function fetchTemplates(
  graph: Graph,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Template[]> {
  const found: Template[] = [];
  let after: string | null = null;
  do {
    const page: JsonObject = await graph.get(
      [graph.businessAccountId, 'message_templates'],
      { fields: FIELDS, limit: String(PAGE), ...query, ...(after === null ? {} : { after }) },
      signal,
    );
    found.push(...readObjects(page['data']).flatMap((one) => readTemplate(one) ?? []));
    const paging = readObject(page['paging']);
    after = paging?.['next'] ? readText(readObject(paging['cursors'])?.['after']) : null;
  } while (after !== null && found.length < MAX_TEMPLATES);
  return found;
}

const toParameter = ({ type, name }: Slot, value: string, isNamed: boolean): Json => {
  if (type === 'text') return { type, ...(isNamed ? { parameter_name: name } : {}), text: value };
  return { type, [type]: { link: value } };
};

function fillComponents({ slots, isNamed }: Template, values: readonly string[]): Json[] {
  const filled = slots.map((slot, nth) => ({ slot, parameter: toParameter(slot, values[nth]!, isNamed) }));
  const byComponent = Map.groupBy(filled, ({ slot }) => `${slot.component} ${slot.index ?? ''}`);
  return [...byComponent.values()].map((group) => {
    const [{ slot }] = group as [(typeof filled)[number]];
    return {
      type: slot.component,
      ...(slot.component === 'button' ? { sub_type: 'url', index: String(slot.index) } : {}),
      parameters: group.map(({ parameter }) => parameter),
    };
  });
}

export interface TemplateContent {
  name: string;
  language?: string | null;
  parameters?: string[] | null;
}

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

export interface Templates {
  /** Reads all templates of the account. @throws DriverError */
  synchronize(signal: AbortSignal): Promise<readonly ChannelTemplate[]>;
  /**
   * Returns the template object of a message. A template that is not known yet is looked up.
   * @throws DriverError rejected if there is no such template, or the parameters don't fit
   */
  compose(content: TemplateContent, signal: AbortSignal): Promise<Json>;
}

export function createTemplates(graph: Graph): Templates {
  let known: readonly Template[] = [];

  const find = async ({ name, language }: TemplateContent, signal: AbortSignal): Promise<Template> => {
    const matching = (all: readonly Template[]): Template[] =>
      all.filter((one) => one.name === name && (language == null || one.language === language));
    let found = matching(known);
    if (!found.length) found = matching(await fetchTemplates(graph, { name }, signal));
    if (language == null && found.length > 1)
      throw rejected(
        'template_language_required',
        `The template ${name} has several languages. Specify one.`,
      );
    const [template] = found;
    if (!template) throw rejected('unknown_template', `There is no template ${name} in this language.`);
    return template;
  };

  return {
    async synchronize(signal) {
      known = await fetchTemplates(graph, {}, signal);
      return known.map(({ isNamed: _named, slots: _slots, unsupported: _unsupported, ...shown }) => shown);
    },
    async compose(content, signal) {
      const template = await find(content, signal);
      if (template.unsupported !== null) throw rejected('template_unsupported', template.unsupported);
      const values = content.parameters ?? [];
      if (values.length !== template.slots.length)
        throw rejected(
          'wrong_parameter_count',
          `The template ${template.name} has ${template.slots.length} parameters, and ${values.length} were given.`,
        );
      return {
        name: template.name,
        language: { policy: 'deterministic', code: template.language },
        ...(values.length ? { components: fillComponents(template, values) } : {}),
      };
    },
  };
}
