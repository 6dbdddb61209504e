import { renderToStaticMarkup } from 'react-dom/server';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { plural, rich, t } from './text.ts';

test('a text carries its values, and keeps a placeholder that has none', () => {
  expect(t('Delete {name}?', { name: 'spring {x}' })).toBe('Delete spring {x}?');
  expect(t('Delete {name}?')).toBe('Delete {name}?');
  expect(t('{count} of {total}', { count: 0 })).toBe('0 of {total}');
});

test('a number chooses the form of its text', () => {
  const forms = { one: '{count} click', other: '{count} clicks' };
  expect(plural(1, forms)).toBe('1 click');
  expect(plural(0, forms)).toBe('0 clicks');
  expect(plural(12_345, forms)).toBe('12,345 clicks');
});

test('tags of a text become elements, and markup in a value stays text', () => {
  const element = rich(
    'Read <a>the docs</a> about {name} or <b>ask</b>.',
    {
      a: (words) => createElement('a', { href: '/docs' }, words),
      b: (words) => createElement('b', {}, words),
    },
    { name: '<i>' },
  );
  expect(renderToStaticMarkup(createElement('p', {}, element))).toBe(
    '<p>Read <a href="/docs">the docs</a> about &lt;i&gt; or <b>ask</b>.</p>',
  );
});
