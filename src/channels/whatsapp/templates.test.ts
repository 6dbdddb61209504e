/** Tests the parameters of templates and how they are filled in. */
import { expect, test } from 'vitest';
import type { Json } from '../contract/json.ts';
import type { Graph } from './api.ts';
import type { JsonObject } from './fields.ts';
import { createTemplates, readTemplate } from './templates.ts';

const never = new AbortController().signal;

const template = (components: Json[], more: JsonObject = {}): JsonObject => ({
  name: 'order',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  components,
  ...more,
});
const body = (text: string): Json => ({ type: 'BODY', text });

/** @param pages answers to the requests for templates, in order */
function createWith(...pages: JsonObject[]) {
  const queries: Record<string, string>[] = [];
  const graph = {
    businessAccountId: '9',
    get: (_path: readonly string[], query: Record<string, string>) => {
      queries.push(query);
      return Promise.resolve(pages.shift() ?? { data: [] });
    },
  } as unknown as Graph;
  return { templates: createTemplates(graph), queries };
}

test('all pages are read', async () => {
  const { templates, queries } = createWith(
    { data: [template([])], paging: { cursors: { after: 'MjQ' }, next: 'https://graph.facebook.com/next' } },
    { data: [template([], { name: 'second' }), null, {}], paging: { cursors: { after: 'x' } } },
  );
  const all = await templates.synchronize(never);
  expect(all.map(({ name }) => name)).toEqual(['order', 'second']);
  expect(queries.map(({ after }) => after)).toEqual([undefined, 'MjQ']);
});

test('parameters are in the order of header, body and buttons', async () => {
  const components: Json[] = [
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://e.com/{{1}}' }] },
    body('{{2}} for {{1}}, {{2}}'),
    { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' },
  ];
  const { templates } = createWith({ data: [template(components)] });
  await templates.synchronize(never);
  const parameters = ['Ann', 'one', 'two', 'track/7'];
  const toText = (value: string) => ({ type: 'text', text: value });
  expect(await templates.compose({ name: 'order', language: 'en_US', parameters }, never)).toEqual({
    name: 'order',
    language: { policy: 'deterministic', code: 'en_US' },
    components: [
      { type: 'header', parameters: [toText('Ann')] },
      { type: 'body', parameters: [toText('one'), toText('two')] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [toText('track/7')] },
    ],
  });
});

test('named parameters and files of a header', async () => {
  const components = [{ type: 'HEADER', format: 'IMAGE' }, body('Hi {{ name }}')];
  const { templates } = createWith({ data: [template(components, { parameter_format: 'NAMED' })] });
  await templates.synchronize(never);
  const parameters = ['https://e.com/a.png', 'Ann'];
  expect(await templates.compose({ name: 'order', parameters }, never)).toMatchObject({
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://e.com/a.png' } }] },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann' }] },
    ],
  });
});

test('what does not fit is rejected', async () => {
  const other = template([body('Hallo')], { language: 'de' });
  const { templates, queries } = createWith({ data: [template([body('Hi {{1}}')]), other] });
  await templates.synchronize(never);
  const compose = (content: object) => templates.compose({ name: 'order', ...content }, never);
  const rejected = (code: string) => ({ kind: 'rejected', code });
  await expect(compose({})).rejects.toMatchObject(rejected('template_language_required'));
  await expect(compose({ language: 'en_US' })).rejects.toMatchObject(rejected('wrong_parameter_count'));
  await expect(compose({ language: 'de', parameters: ['x'] })).rejects.toMatchObject(
    rejected('wrong_parameter_count'),
  );
  await expect(compose({ name: 'nothing' })).rejects.toMatchObject(rejected('unknown_template'));
  // One that is not known yet is looked up.
  expect(queries.at(-1)).toMatchObject({ name: 'nothing' });
});

test('templates are listed with their state and variables', () => {
  const components = [
    { type: 'HEADER', format: 'DOCUMENT' },
    body('Hi {{1}}'),
    { type: 'FOOTER', text: 'Bye' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://e.com/{{1}}' }] },
  ];
  expect(
    readTemplate(template(components, { status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' })),
  ).toMatchObject({
    name: 'order',
    language: 'en_US',
    category: 'utility',
    state: 'rejected',
    reason: 'INVALID_FORMAT',
    components: [
      { kind: 'header', format: 'document', text: null, variables: 1 },
      { kind: 'body', format: 'text', text: 'Hi {{1}}', variables: 1 },
      { kind: 'footer', format: 'text', text: 'Bye', variables: 0 },
      { kind: 'button', format: 'text', text: 'Track', variables: 1 },
    ],
  });
  for (const [status, state] of Object.entries({
    APPROVED: 'approved',
    IN_APPEAL: 'pending',
    LIMIT_EXCEEDED: 'disabled',
  }))
    expect(readTemplate(template([], { status }))).toMatchObject({ state, reason: null });
});

test('templates that need more than texts cannot be sent', () => {
  const unsupported = (...components: Json[]): string | null => {
    const { state, reason, unsupported: why } = readTemplate(template(components))!;
    expect([state, reason]).toEqual([why === null ? 'approved' : 'disabled', why]);
    return why;
  };
  expect(unsupported({ type: 'HEADER', format: 'LOCATION' })).toContain('a location');
  expect(unsupported({ type: 'CAROUSEL' })).toContain('a carousel');
  expect(unsupported({ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE' }] })).toContain('a coupon code');
  expect(unsupported(body('Hi'))).toBeNull();
});
