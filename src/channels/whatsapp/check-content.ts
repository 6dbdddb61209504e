/** Finds errors in templates and interactive messages, by Meta's own limits, before a message is queued. */
import type { MessageType } from '../contract/capabilities.ts';
import type { ContentFault } from '../contract/driver.ts';
import type { Json } from '../contract/json.ts';

const MAX_BUTTONS = 3;
const MAX_BUTTON = 20;
const MAX_ROW = 24;
const MAX_FLOW_BUTTON = 30;
const MAX_HEADER = 60;
const MAX_BUTTON_ID = 256;
const MAX_ROW_ID = 200;
/** Characters that Meta rejects with error 132018. */
const UNFIT_PARAMETER = /[\r\n\t]| {5,}/;

export interface Choice {
  id: string;
  title: string;
  form_id?: string;
}

export interface Choices {
  body: string;
  choices: Choice[];
  header?: string | null;
  footer?: string | null;
}

const isWithin = (text: string, max: number): boolean => Array.from(text).length <= max;

/** Up to three short choices are buttons; more, or longer ones, are a list behind a button. */
export const areButtons = (choices: readonly Choice[]): boolean =>
  choices.length <= MAX_BUTTONS && choices.every(({ title }) => isWithin(title, MAX_BUTTON));

/** Returns the positions of repeated values. */
const findRepeated = (values: readonly string[]): number[] =>
  values.flatMap((value, nth) => (values.indexOf(value) < nth ? [nth] : []));

function checkChoices(choices: readonly Choice[]): ContentFault[] {
  const at = (nth: number, field: string, code: string, detail: string): ContentFault => ({
    pointer: `/interactive/choices/${nth}/${field}`,
    code,
    detail,
  });
  const areShort = areButtons(choices);
  const maxId = areShort ? MAX_BUTTON_ID : MAX_ROW_ID;
  return [
    ...choices.flatMap(({ id, title }, nth) => [
      ...(isWithin(title, MAX_ROW)
        ? []
        : [at(nth, 'title', 'choice_too_long', `must have at most ${MAX_ROW} characters on WhatsApp`)]),
      ...(title.trim() === '' ? [at(nth, 'title', 'choice_blank', 'must not be blank on WhatsApp')] : []),
      ...(id === id.trim()
        ? []
        : [at(nth, 'id', 'choice_id_invalid', 'must not start or end with a space on WhatsApp')]),
      ...(isWithin(id, maxId)
        ? []
        : [at(nth, 'id', 'choice_id_invalid', `must have at most ${maxId} characters on WhatsApp`)]),
    ]),
    ...findRepeated(choices.map(({ id }) => id)).map((nth) =>
      at(nth, 'id', 'choice_not_unique', 'must differ from the IDs of the other choices'),
    ),
    ...(areShort ? findRepeated(choices.map(({ title }) => title)) : []).map((nth) =>
      at(nth, 'title', 'choice_not_unique', 'must differ from the titles of the other buttons on WhatsApp'),
    ),
  ];
}

function checkInteractive({ choices, header, footer }: Choices): ContentFault[] {
  const texts = Object.entries({ header, footer }).flatMap(([name, text]) =>
    text && !isWithin(text, MAX_HEADER)
      ? [
          {
            pointer: `/interactive/${name}`,
            code: 'text_too_long',
            detail: `must have at most ${MAX_HEADER} characters on WhatsApp`,
          },
        ]
      : [],
  );
  const form = choices.findIndex(({ form_id: formId }) => formId !== undefined);
  if (form < 0) return [...texts, ...checkChoices(choices)];
  const { title } = choices[form]!;
  const pointer = `/interactive/choices/${form}`;
  const alone = 'A choice with a form must be the only choice on WhatsApp.';
  const long = `A choice with a form has at most ${MAX_FLOW_BUTTON} characters on WhatsApp.`;
  return [
    ...texts,
    ...(choices.length > 1 ? [{ pointer, code: 'form_not_alone', detail: alone }] : []),
    ...(isWithin(title, MAX_FLOW_BUTTON)
      ? []
      : [{ pointer: `${pointer}/title`, code: 'choice_too_long', detail: long }]),
  ];
}

const checkParameters = (parameters: readonly string[]): ContentFault[] =>
  parameters.flatMap((value, nth) =>
    UNFIT_PARAMETER.test(value)
      ? [
          {
            pointer: `/template/parameters/${nth}`,
            code: 'parameter_line_break',
            detail: 'must not contain line breaks, tabs or more than four consecutive spaces on WhatsApp',
          },
        ]
      : [],
  );

/** @param content the object under the type's name, as the API has it */
export function checkContent(type: MessageType, content: Json): ContentFault[] {
  if (type === 'interactive') return checkInteractive(content as unknown as Choices);
  if (type !== 'template') return [];
  return checkParameters((content as { parameters?: string[] | null }).parameters ?? []);
}
