import { expect, test } from 'vitest';
import type { Message } from '../../api/types.ts';
import { channelDataNote, channelDataRows } from './channel-data.ts';

type Data = NonNullable<Message['channel_data']>;
const NONE: Data = {
  system: null,
  error: null,
  forwarded: null,
  choice: null,
  call_permission: null,
  referral: null,
  product: null,
  order: null,
};
const AD: NonNullable<Data['referral']> = {
  source_type: 'ad',
  source_id: '1202',
  source_url: 'https://fb.me/3cr4Wqqkv',
  headline: 'Chat with us',
  body: null,
  ctwa_clid: null,
};
const item = (nth: number) => ({ product_retailer_id: `p${nth}`, quantity: 2, price: 30, currency: 'USD' });

test('lists what there is, and names it in one line', () => {
  expect(channelDataRows({ ...NONE, referral: AD })).toEqual([
    { label: 'Source type', value: 'ad' },
    { label: 'Source ID', value: '1202' },
    { label: 'Source URL', value: 'https://fb.me/3cr4Wqqkv' },
    { label: 'Headline', value: 'Chat with us' },
  ]);
  expect(channelDataNote({ ...NONE, referral: AD })).toBe('From an ad: Chat with us');
  const post = { ...AD, source_type: 'post', headline: null, source_id: null };
  expect(channelDataNote({ ...NONE, referral: post })).toBe('From a post');
  const product = { catalog_id: null, product_retailer_id: 'p1' };
  expect(channelDataRows({ ...NONE, product })).toEqual([{ label: 'Product ID', value: 'p1' }]);
  expect(channelDataNote({ ...NONE, product })).toBe('About product p1');
  expect(channelDataNote(NONE)).toBeNull();
});

test('lists the products of an order, without parts that are unknown', () => {
  const bare = { product_retailer_id: 'p2', quantity: null, price: null, currency: null };
  const order = { catalog_id: '19', text: 'Please wrap it.', items: [item(1), bare] };
  expect(channelDataRows({ ...NONE, order })).toEqual([
    { label: 'Catalog ID', value: '19' },
    { label: 'Note', value: 'Please wrap it.' },
    { label: 'Products', value: '2 × p1, 30 USD\n1 × p2' },
  ]);
  expect(channelDataNote({ ...NONE, order })).toBe('Order of 2 products');
});

test('cuts long values and long lists', () => {
  const referral = { ...AD, headline: '😀'.repeat(400) };
  const headline = channelDataRows({ ...NONE, referral }).find(({ label }) => label === 'Headline');
  expect(headline?.value).toBe(`${'😀'.repeat(300)}…`);
  const items = Array.from({ length: 25 }, (_, nth) => item(nth));
  const order = { catalog_id: null, text: null, items };
  const lines = channelDataRows({ ...NONE, order })[0]!.value.split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('5 more');
});
