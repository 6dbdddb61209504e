import { Registry } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { createTemplatePool } from './template-pool.ts';
import type { TemplateKind } from './templates.ts';

const faults: unknown[] = [];
const pool = createTemplatePool({
  registry: new Registry(),
  log: { error: (details) => void faults.push(details) },
});
afterAll(async () => {
  await pool.stop();
  if (faults.length) throw new Error(`workers failed: ${JSON.stringify(faults)}`);
});

const rendered = async (kind: TemplateKind, source: string, variables: object = {}) => {
  const [only] = await pool.render('ws', variables, [{ kind, source }]);
  return only!.fault ?? only!.text;
};

it('renders several templates with the same variables; a fault of one leaves the others', async () => {
  const made = await pool.render('ws', { payload: { title: 'Hi "x"' } }, [
    { kind: 'text', source: 'New: {{ payload.title | upcase }}' },
    { kind: 'text', source: 'a\n{{ payload.title | nope }}' },
    { kind: 'condition', source: "payload.title contains 'x'" },
  ]);
  expect(made).toEqual([
    { text: 'New: HI "X"', fault: null },
    { text: null, fault: { code: 'template_syntax', detail: 'Line 2, column 1: undefined filter: nope' } },
    { text: 'true', fault: null },
  ]);
});

it('writes values into JSON as text within quotes and as JSON outside of them', async () => {
  const variables = { payload: { title: 'Hi "x"\\', count: 3 } };
  const source = `{"a": "{{ payload.title }}", "b": {{ payload.title }}, "c": {{ payload | json }}, "d": "{{ payload.none }}",
    "e": {{ payload.none }}, "f": {{ payload.count }}, "g": "{{ payload }}", "\\"{{ payload.title }}\\"": true}`;
  expect(JSON.parse((await rendered('json', source, variables)) as string)).toEqual({
    a: 'Hi "x"\\',
    b: 'Hi "x"\\',
    c: variables.payload,
    d: '',
    e: null,
    f: 3,
    g: JSON.stringify(variables.payload),
    '"Hi "x"\\"': true,
  });
});
