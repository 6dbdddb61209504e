/** Tests that content that Meta would reject is rejected before it is queued, with its position. */
import { describe, expect, test } from 'vitest';
import type { OutboundMessage } from '../contract/connection.ts';
import { checkContent } from './check-content.ts';
import { toContent } from './compose.ts';
import { classify } from './errors.ts';

const choices = (...given: { id: string; title: string }[]) => ({ body: 'x', choices: given });
const ROWS = ['a', 'b', 'c', 'd'].map((id) => ({ id, title: 'Same' }));

describe('choices', () => {
  test.each([
    [
      'buttons of the same title',
      choices({ id: 'a', title: 'Same' }, { id: 'b', title: 'Same' }),
      '1/title',
      'choice_not_unique',
    ],
    ['the same ID', choices({ id: 'a', title: 'A' }, { id: 'a', title: 'B' }), '1/id', 'choice_not_unique'],
    ['an ID with blanks at its ends', choices({ id: ' a ', title: 'A' }), '0/id', 'choice_id_invalid'],
    ['a button with a long ID', choices({ id: 'a'.repeat(257), title: 'A' }), '0/id', 'choice_id_invalid'],
    [
      'a row with a long ID',
      choices({ id: 'a'.repeat(201), title: 'A'.repeat(21) }),
      '0/id',
      'choice_id_invalid',
    ],
    ['a blank title', choices({ id: 'a', title: ' ' }), '0/title', 'choice_blank'],
    ['a long title', choices({ id: 'a', title: 'A'.repeat(25) }), '0/title', 'choice_too_long'],
  ])('%s', (_name, content, place, code) => {
    expect(checkContent('interactive', content)).toMatchObject([
      { pointer: `/interactive/choices/${place}`, code },
    ]);
    const message = { type: 'interactive', content: { text: 'x', file: null, data: content } };
    expect(() => toContent(message as unknown as OutboundMessage, null, 'Options')).toThrow(/must/);
  });

  test('within the limits', () => {
    const longest = [
      { id: 'a'.repeat(256), title: 'A'.repeat(20) },
      { id: 'b c', title: 'B' },
    ];
    for (const content of [
      choices(...longest),
      choices(...ROWS),
      choices({ id: 'a'.repeat(200), title: 'A'.repeat(24) }),
    ])
      expect(checkContent('interactive', content)).toEqual([]);
  });
});

test('parameters of templates', () => {
  const check = (...parameters: string[]) => checkContent('template', { name: 'hello', parameters });
  expect(check('Ann', 'two\nlines', 'a\ttab', 'a    b', 'a     b', 'cr\r')).toMatchObject(
    [1, 2, 4, 5].map((nth) => ({ pointer: `/template/parameters/${nth}`, code: 'parameter_line_break' })),
  );
  expect(checkContent('template', { name: 'hello', parameters: null })).toEqual([]);
  expect(checkContent('text', { body: 'two\nlines' })).toEqual([]);
});

test("Meta's own error has the same code", () => {
  const error = {
    message: '(#132018) x',
    type: 'OAuthException',
    code: 132018,
    error_data: {
      messaging_product: 'whatsapp',
      details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    },
  };
  const answer = { status: 400, json: { error }, headers: {}, body: '' };
  expect(classify(answer as never, { isSafe: false })).toMatchObject({
    kind: 'rejected',
    code: 'parameter_line_break',
  });
});
