/**
 * Liquid, as the rest of the product uses it. Rendering happens in workers that are ended when a template takes too long
 * or too much (template-pool.ts); nothing of a template ever runs where requests are answered.
 */
import type { JsonBounds } from '../json/foreign-json.ts';

/**
 * What a template makes, by which the values in it are escaped:
 * - `text`: as they are.
 * - `json`: a JSON text. Within quotes a value is text, escaped for JSON (nothing where it is undefined); outside of them it
 *   is written as a JSON value, strings with quotes, undefined as null. The result must parse.
 * - `slack`, `discord`, `teams`: JSON too, whose values can't mention people or break out of their markup there, but by the filter `raw`.
 * - `condition`: an expression as `if` takes it, without braces; the result is `true` or `false`.
 */
export type TemplateKind = 'text' | 'json' | 'slack' | 'discord' | 'teams' | 'condition';

export interface Template {
  kind: TemplateKind;
  source: string;
}

export const TEMPLATE_ERROR_CODES = [
  'template_syntax',
  'template_failed',
  'template_timeout',
  'template_too_large',
  'template_budget',
] as const;

/** Fit to be shown to whoever wrote the template. */
export interface TemplateError {
  code: (typeof TEMPLATE_ERROR_CODES)[number];
  detail: string;
}

export type Rendered = { text: string; fault: null } | { text: null; fault: TemplateError };

/** Characters that a template may have, and that it may make. */
export const MAX_TEMPLATE = 65_536;
export const MAX_RENDERED = 262_144;
/** Of rendered JSON. The characters bound its values; deeper than requests, because templates wrap what they contain. */
export const RENDERED_BOUNDS: JsonBounds = { bytes: 4 * MAX_RENDERED, values: MAX_RENDERED, depth: 128 };
/** Characters that the templates of one call may make together: twenty messages of the longest texts that there are. */
export const MAX_RENDERED_TOTAL = 2_000_000;

export interface Templates {
  /**
   * Renders templates with the same variables, all of them within 100 ms of one worker's time.
   * @param variables what JSON can hold; templates see own properties alone
   * @returns one for each, in their order; a fault of one leaves the others, but where time or memory are over
   */
  render(workspaceId: string, variables: object, templates: readonly Template[]): Promise<Rendered[]>;
  /** Whether they can be read at all; null for one that can. */
  check(workspaceId: string, templates: readonly Template[]): Promise<(TemplateError | null)[]>;
  stop(): Promise<void>;
}
