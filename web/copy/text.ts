/**
 * The console's texts. The English text is the key: `npm run copy` collects all of them in `en.json`, and a file of the
 * same keys beside it, named for its language (`de.json`), translates the console for browsers that prefer it.
 */
import { Fragment, createElement, type ReactNode } from 'react';

type Values = Record<string, string | number>;
type Catalog = Partial<Record<string, string>>;

const catalogs = import.meta.glob<Catalog>('./??.json', { import: 'default' });

/** The first of the browser's languages that there is a catalog for, as its two letters. */
export const language =
  navigator.languages
    ?.map((tag) => tag.slice(0, 2).toLowerCase())
    .find((tag) => tag === 'en' || `./${tag}.json` in catalogs) ?? 'en';

const catalog = language === 'en' ? {} : ((await catalogs[`./${language}.json`]?.()) ?? {});

/**
 * Returns a text in the user's language.
 * @param text in English, a literal: with `{name}` for each of `values`
 */
export function t(text: string, values?: Values): string {
  const translated = catalog[text] ?? text;
  if (!values) return translated;
  return translated.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return value === undefined ? placeholder : String(value);
  });
}

const numbers = new Intl.NumberFormat(language);
const pluralRules = new Intl.PluralRules(language);

/** Returns a number as the user's language writes it. */
export const formatNumber = (value: number): string => numbers.format(value);

interface Forms {
  one: string;
  other: string;
}

/**
 * Returns the form of a text for a number, with `{count}` in place of the number.
 * @param forms literals; a translation has one key per form
 */
export function plural(count: number, forms: Forms, values?: Values): string {
  const form = pluralRules.select(count) === 'one' ? forms.one : forms.other;
  return t(form, { count: formatNumber(count), ...values });
}

/**
 * Returns a text in which parts are elements: `rich('Read <a>the docs</a>', { a: (words) => <a …>{words}</a> })`.
 * @param parts one for each tag of the text
 */
export function rich(
  text: string,
  parts: Record<string, (words: string) => ReactNode>,
  values?: Values,
): ReactNode {
  const pieces = t(text, values).split(/<(\w+)>(.*?)<\/\1>/);
  // Words, then a tag and its words, then words again.
  const nodes = pieces.map((piece, at): ReactNode => {
    if (at % 3 === 0) return piece;
    if (at % 3 === 2) return null;
    return createElement(Fragment, { key: at }, parts[piece]?.(pieces[at + 1] ?? ''));
  });
  return createElement(Fragment, null, ...nodes);
}
