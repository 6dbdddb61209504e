import { expect, test } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu.ts';
import { parseUtm, withQuery } from './query.ts';

test('the first of each UTM parameter is read, as a form would write it', () => {
  expect(
    parseUtm('a=1&utm_source=x+y&utm_source=z&utm_medium=%C3%A9&utm_term=&utm_content&utm_other=1'),
  ).toEqual(['x y', 'é', null, null, null]);
  expect(parseUtm('autm_source=1&utm_sourc=1&utm_source')).toEqual([null, null, null, null, null]);
  expect(parseUtm(`utm_campaign=${'%F0%9F%98%80'.repeat(200)}`)[2]).toMatch(/^(?:😀){100}/u);
});

test('parameters are added that the target lacks, however their names are written', () => {
  const target = 'https://example.com/?a=1&b%20c=2&%C3%A9=3#part';
  expect(withQuery(target, '%61=9&b+c=9&é=x&%c3%a9=9&=9&&A=9&d=%ff')).toBe(
    'https://example.com/?a=1&b%20c=2&%C3%A9=3&%E9=x&A=9&d=%ff#part',
  );
  expect(withQuery('https://example.com/', '%ff=1&%fe=1')).toBe('https://example.com/?%ff=1&%fe=1');
  expect(withQuery('https://example.com/?%ff=1', '%FF=2&%fe=1')).toBe('https://example.com/?%ff=1&%fe=1');
});

test('the worst query that fits into a request takes no time that others would notice', () => {
  const broken = '%ff&'.repeat(3_900);
  const worst = [
    broken,
    `utm_a&${broken}`,
    `utm_source=${'%ff'.repeat(5_200)}`,
    'utm_term=%e0&'.repeat(1_200),
  ];
  for (const query of worst) {
    let best = Infinity;
    for (let tries = 0; tries < 10; tries++) {
      best = Math.min(
        best,
        cpuMs(() => {
          parseUtm(query);
          withQuery('https://example.com/?x=%ff', query);
        }),
      );
    }
    // Some 2 ms; decoding it all took 60.
    expect(best).toBeLessThan(15);
  }
});
