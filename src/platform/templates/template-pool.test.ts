import { Registry } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { parseLossless } from '../json/lossless-json.ts';
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

it('makes no more than twenty long messages out of one small payload', async () => {
  const source = '{{ payload.a }}{{ payload.a }}{{ payload.a }}{{ payload.a }}';
  const templates = Array.from({ length: 60 }, () => ({ kind: 'text' as const, source }));
  const made = await pool.render('large', { payload: { a: 'x'.repeat(50_000) } }, templates);
  expect(made.slice(0, 10).every(({ text }) => text?.length === 200_000)).toBe(true);
  expect(new Set(made.slice(10).map(({ fault }) => fault?.code))).toEqual(new Set(['template_too_large']));
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

it('takes a condition as `if` does, and nothing else', async () => {
  const variables = { payload: { status: 'published', tags: ['a'], zero: 0, none: null } };
  const answers = {
    'payload.status == "published"': 'true',
    'payload.status == "draft" or payload.tags contains "a"': 'true',
    'payload.zero': 'true',
    'payload.none': 'false',
    'payload.unknown.deeper': 'false',
    'payload.tags | size > 3': 'template_syntax',
    'payload.status = "published"': 'template_syntax',
    'payload.status ==': 'template_syntax',
    'payload.status = "published" && payload.zero': 'template_syntax',
    'payload.status published': 'template_syntax',
    'and payload.status': 'template_syntax',
    'payload.zero and not': 'template_syntax',
    'not payload.none and payload.zero == 0': 'true',
    '{{ payload.status }}': 'template_syntax',
    'true %}{% assign x = 1': 'template_syntax',
    '': 'template_syntax',
  };
  for (const [source, answer] of Object.entries(answers)) {
    const made = await rendered('condition', source, variables);
    expect(typeof made === 'string' ? made : made.code, source).toBe(answer);
  }
});

it('finds a text whatever the case', async () => {
  const condition = async (source: string, x: unknown) => rendered('condition', source, { x });
  expect(await condition('x | contains_ignore_case: "HOURS"', 'Your opening hours?')).toBe('true');
  expect(await condition('x | contains_ignore_case: "hours"', 'HOURS')).toBe('true');
  expect(await condition('x | contains_ignore_case: "hours"', 'Hi')).toBe('false');
  expect(await condition('x | contains_ignore_case: "hours"', null)).toBe('false');
});

it('has no tags for files, no filters that evaluate text, and sees own properties alone', async () => {
  for (const source of [
    '{% include "x" %}',
    '{% render "x" %}',
    '{% layout "x" %}',
    '{% block x %}{% endblock %}',
    '{{ a | where_exp: "x", "x.y" }}',
    '{{ a | find_exp: "x", "x.y" }}',
  ])
    expect(await rendered('text', source), source).toMatchObject({ code: 'template_syntax' });
  const reach = `{{ payload.constructor }}{{ payload.__proto__ }}{{ payload.toString }}{{ constructor }}{{ process }}{{ globalThis }}{{ require }}
    {%- for i in (1..1) -%}{{ forloop.constructor }}{{ forloop.valueOf }}{{ forloop.__proto__ }}{{ forloop.index }}{%- endfor -%}`;
  expect(await rendered('text', reach, { payload: {} })).toBe('1');
});

it('tells time zones, and keeps what a template changes from the others', async () => {
  const variables = { at: '2026-03-01T12:00:00Z' };
  expect(
    await rendered('text', '{{ at | date: "%H:%M", "Europe/Berlin" }} {{ at | date: "%H:%M" }}', variables),
  ).toBe('13:00 12:00');
  const at = (format: string, zone = '') =>
    rendered('text', `{{ at | date: "${format}"${zone} }}`, variables);
  expect(await at('%F %T %R %D %r')).toBe('2026-03-01 12:00:00 12:00 03/01/26 12:00:00 PM');
  expect(await at('%Z')).toBe('UTC');
  expect(await at('%Z %%Z %%F', ', "Europe/Berlin"')).toBe('CET %Z %F');
  expect(await at('%H %Z', ', "America/New_York"')).toBe('07 EST');
  expect(await at('%Z', ', "America/Sao_Paulo"')).toBe('-0300');
  expect(await at('%Z', ', -330')).toBe('+0530');
  const [, second] = await pool.render('ws', { n: 1 }, [
    { kind: 'text', source: '{% increment n %}{% assign n = 9 %}{% capture n %}x{% endcapture %}' },
    { kind: 'text', source: '{{ n }}' },
  ]);
  expect(second!.text).toBe('1');
});

it('lets nobody mention people or hide an address in the markup of Slack, Discord and Teams', async () => {
  const variables = {
    text: '<!channel> <@U1> @everyone [bank.example](https://evil.example) *b* <at>x</at> & "q"',
  };
  const of = async (kind: TemplateKind) =>
    (
      JSON.parse(
        (await rendered(kind, '{"t": "{{ text }}", "all": {{ text | json }}}', variables)) as string,
      ) as { t: string }
    ).t;
  expect(await of('slack')).toBe(
    '&lt;!channel&gt; &lt;@U1&gt; @everyone [bank.example](https://evil.example) *b* &lt;at&gt;x&lt;/at&gt; &amp; "q"',
  );
  expect(await of('discord')).toBe(
    '\\<!channel\\> \\<@U1\\> @\u200Beveryone \\[bank.example\\]\\(https://evil.example\\) \\*b\\* \\<at\\>x\\</at\\> & "q"',
  );
  expect(await of('teams')).toBe(
    '&lt;!channel> &lt;@U1> @everyone \\[bank.example\\]\\(https://evil.example\\) \\*b\\* &lt;at>x&lt;/at> & "q"',
  );
  expect(await rendered('slack', '{"t": "{{ text | raw }}"}', { text: '<!here> "' })).toBe(
    '{"t": "<!here> \\""}',
  );
});

it('refuses what is not JSON', async () => {
  expect(await rendered('json', '{"a": {{ x }}')).toMatchObject({ code: 'template_failed' });
});

const BIG = 'a'.repeat(900_000);
const bombs: Record<string, [source: string, codes: string[]]> = {
  'loops within loops': [
    '{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}',
    ['template_timeout', 'template_too_large'],
  ],
  'a range without end': ['{% for a in (1..100000000) %}{% endfor %}', ['template_too_large']],
  '100 MB written': [
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{{ x | slice: 0, 100 }}{% endfor %}{% endfor %}',
    ['template_timeout', 'template_too_large'],
  ],
  'captures that double': [
    `{% assign s = "aaaaaaaaaaaaaaaa" %}${'{% capture s %}{{s}}{{s}}{% endcapture %}'.repeat(40)}{{ s }}`,
    ['template_too_large'],
  ],
  'texts that double': [
    `{% assign s = "aaaaaaaaaaaaaaaa" %}${'{% assign s = s | append: s %}'.repeat(40)}{{ s }}`,
    ['template_too_large'],
  ],
  'replacing by itself': [
    `{% assign s = "aaaaaaaaaa" %}${'{% assign s = s | replace: "a", s %}'.repeat(10)}{{ s }}`,
    ['template_too_large'],
  ],
  'a list that holds itself': [
    `{% assign l = "a" | split: "," %}${'{% assign l = l | push: l %}'.repeat(60)}{{ l | join }}`,
    ['template_too_large'],
  ],
  'groups of groups': [
    `{% assign l = "a,b" | split: "," %}${'{% assign l = l | group_by: "items" %}'.repeat(60)}{{ l | json }}`,
    ['template_too_large'],
  ],
  'escaping what was escaped': [
    `{% assign s = "%%%%" %}${'{% assign s = s | url_encode | append: s | replace: "2", "%%" %}'.repeat(40)}{{ s }}`,
    ['template_too_large'],
  ],
  'looking for long in long': [
    '{% assign p = x | slice: 0, 400000 | prepend: "b" %}{{ x | replace_last: p, "y" | size }}',
    ['template_timeout'],
  ],
  'asking whether long is in long': [
    '{% assign p = x | slice: 0, 20000 | prepend: "b" %}{% if x contains p %}y{% endif %}',
    ['template_timeout'],
  ],
  'sorting again and again': [
    '{% assign l = x | slice: 0, 5000 | split: "" %}{% for a in (1..100000) %}{% assign m = l | sort %}{% endfor %}',
    ['template_timeout', 'template_too_large'],
  ],
  'blanks around blanks': [
    '{% assign s = x | slice: 0, 300000 | replace: "a", " " | append: "b" %}{% for a in (1..1000) %}{% assign t = s | squish | strip_html %}{% endfor %}',
    ['template_timeout', 'template_too_large'],
  ],
  'widths of dates': ['{{ "now" | date: "%100000000d" }}', ['template_too_large']],
  'zones of dates': [
    '{% for i in (1..100000) %}{{ i | date: "%H", "Europe/Berlin" }}{% endfor %}',
    ['template_timeout'],
  ],
  'filters without end': [
    `{{ 1${' | plus: 1'.repeat(6000)} }}{% for a in (1..100000) %}{{ 1${' | plus: 1'.repeat(100)} }}{% endfor %}`,
    ['template_timeout', 'template_too_large'],
  ],
  'brackets without end': [`{{ ${'a['.repeat(30_000)} }}`, ['template_syntax', 'template_timeout']],
};

it.each(Object.entries(bombs))('stops %s', async (name, [source, codes]) => {
  const [made] = await pool.render(`ws ${name}`, { x: BIG }, [{ kind: 'text', source }]);
  expect(codes).toContain(made!.fault?.code);
  expect(await rendered('text', 'still {{ x }}', { x: 'here' })).toBe('still here');
});

/** Nothing within one output asks for the time. */
const STUBBORN = `{{ 1${' | date: "%s", "Europe/Berlin"'.repeat(2000)} }}`;

it('ends a worker that does not stop by itself, and answers what was sent to it at the same time', async () => {
  const asked = [
    ...Array.from({ length: 5 }, (_, index) =>
      pool.render(`ws ${index}`, { index }, [{ kind: 'text', source: '{{ index }}' }]),
    ),
    pool.render('ws stubborn', {}, [{ kind: 'text', source: STUBBORN }]),
    pool.render('ws 5', { index: 5 }, [{ kind: 'text', source: '{{ index }}' }]),
  ];
  const made = (await Promise.all(asked)).map(([only]) => only!.text ?? only!.fault?.code);
  expect(made).toEqual(['0', '1', '2', '3', '4', 'template_timeout', '5']);
});

it('answers another person after few of the requests of one with twelve workspaces', async () => {
  const shared = createTemplatePool({
    registry: new Registry(),
    log: { error: (details) => void faults.push(details) },
    getPerson: async (workspaceId) => workspaceId.split(' ')[0]!,
  });
  const source = `{{ 1${' | date: "%s", "Europe/Berlin"'.repeat(200)} }}`;
  let answered = 0;
  for (let n = 0; n < 240; n++)
    void shared.render(`busy ${n % 12}`, {}, [{ kind: 'text', source }]).then(
      () => (answered += 1),
      () => undefined,
    );
  await expect.poll(() => answered, { timeout: 30_000, interval: 1 }).toBeGreaterThan(24);
  const before = answered;
  await shared.render('other', {}, [{ kind: 'text', source: 'x' }]);
  // Two workers may each have a message; the next one has this person's turn.
  expect(answered - before).toBeLessThanOrEqual(16);
  await shared.stop();
});

it('pauses a workspace whose templates are ended again and again, and nobody else', async () => {
  const codes: unknown[] = [];
  for (let round = 0; round < 8; round++) {
    const [made] = await pool.render('ws again', {}, [{ kind: 'text', source: STUBBORN }]);
    codes.push(made!.fault?.code);
  }
  expect(codes.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'template_timeout'));
  expect(codes.slice(4)).toEqual(Array.from({ length: 4 }, () => 'template_budget'));
  expect(await rendered('text', '{{ x }}', { x: 'others go on' })).toBe('others go on');
});

it('says whether templates can be read, with the place of the fault', async () => {
  const checked = await pool.check('ws', [
    { kind: 'text', source: 'fine {{ x }}' },
    { kind: 'text', source: 'a\n  {% if x %}' },
    { kind: 'condition', source: 'x ==' },
  ]);
  expect(checked[0]).toBeNull();
  expect(checked[1]).toEqual({
    code: 'template_syntax',
    detail: 'Line 2, column 3: tag {% if x %} not closed',
  });
});

it('refuses what comes after its end', async () => {
  const other = createTemplatePool({ registry: new Registry(), log: { error() {} } });
  const waiting = other
    .render('ws', {}, [{ kind: 'text', source: STUBBORN }])
    .catch((error: unknown) => error);
  await other.stop();
  expect(await waiting).toMatchObject({ code: 'unavailable' });
  await expect(other.render('ws', {}, [{ kind: 'text', source: 'x' }])).rejects.toMatchObject({
    code: 'unavailable',
  });
});

it('keeps the digits of numbers that a double would change', async () => {
  const variables = parseLossless(
    '{"id": 8202522731445525542, "next": 8202522731445525543, "price": 10.00, "at": 1700000000.0, "one": 1.0,' +
      '"list": [8202522731445525542, 8202522731445525543, 8202522731445525542],' +
      '"items": [{"id": 8202522731445525543}, {"id": 8202522731445525542}]}',
  ) as object;
  for (const [kind, source, expected] of [
    [
      'text',
      '{{ id }} {{ price }} {{ list | uniq | join: ", " }}',
      '8202522731445525542 10.00 8202522731445525542, 8202522731445525543',
    ],
    [
      'text',
      '{{ id | append: "!" }} {{ items | json }}',
      '8202522731445525542! [{"id":8202522731445525543},{"id":8202522731445525542}]',
    ],
    [
      'text',
      '{% case id %}{% when 8202522731445525543 %}next{% when 8202522731445525542 %}id{% endcase %}',
      'id',
    ],
    [
      'text',
      '{% assign found = items | where: "id", 8202522731445525542 %}{{ found.size }} {{ found[0].id }}',
      '1 8202522731445525542',
    ],
    [
      'json',
      '{"id": {{ id }}, "text": "{{ price }}", "all": {{ list }}}',
      '{"id": 8202522731445525542, "text": "10.00", "all": [8202522731445525542,8202522731445525543,8202522731445525542]}',
    ],
    [
      'slack',
      '{"id": {{ id }}, "all": {{ items | json }}}',
      '{"id": 8202522731445525542, "all": [{"id":8202522731445525543},{"id":8202522731445525542}]}',
    ],
    ['condition', 'id == 8202522731445525542 and id != next and id < next and next >= id', 'true'],
    ['condition', 'id == 8202522731445525543 or id > next or id == "8202522731445525542"', 'false'],
    ['condition', 'list contains 8202522731445525543 and price == 10 and price > 9.99', 'true'],
    ['condition', 'list contains 8202522731445525544', 'false'],
    // Arithmetic takes doubles, dates and places in lists too.
    ['text', '{{ price | plus: 1 }} {{ price | times: price }} {{ id | minus: next }}', '11 100 0'],
    [
      'text',
      '{{ at | date: "%Y" }} {{ list[one] }} {{ id.size }}{{ id.toString }}',
      '2023 8202522731445525543 ',
    ],
  ] as const)
    expect([source, await rendered(kind, source, variables)]).toEqual([source, expected]);
  expect(
    await rendered('json', '[{{ +09007199254740993. }}, {{ -9007199254740993 }}, {{ 10.00 }}, {{ 0.5 }}]'),
  ).toBe('[9007199254740993, -9007199254740993, 10, 0.5]');
  expect(await rendered('json', '[1e999999999]')).toMatchObject({ code: 'template_failed' });
});
