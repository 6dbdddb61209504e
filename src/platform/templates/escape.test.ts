import { expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu.ts';
import { escapeMarkup } from './escape.ts';

it.each(['discord', 'teams'] as const)(
  'an address of a stranger does not end the text of a link in %s',
  (kind) => {
    expect(escapeMarkup[kind]('https://bank.example](https://evil.example')).toBe(
      String.raw`https://bank.example\]\(https://evil.example`,
    );
    expect(escapeMarkup[kind]('see (https://a.example/x_(y)) or https://a.example/b?c=*')).toBe(
      String.raw`see \(https://a.example/x_(y)\) or https://a.example/b?c=*`,
    );
  },
);

it('nobody mentions everybody on Discord by an address either', () => {
  expect(escapeMarkup.discord('https://a.example/@everyone')).toBe('https://a.example/%40everyone');
});

it('takes time in proportion to the text', () => {
  const text = `${'https://('.repeat(20_000)}${'https://['.repeat(20_000)}https://(${'a'.repeat(100_000)}`;
  expect(cpuMs(() => escapeMarkup.discord(text))).toBeLessThan(2_000);
});
