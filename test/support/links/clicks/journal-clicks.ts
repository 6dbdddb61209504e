/** Clicks that can be told apart. */
import { clickIds } from '../../../../src/surfaces/links/clicks/click-codec.ts';
import type { NewClick } from '../../../../src/surfaces/links/clicks/click-record.ts';

export const WORKSPACE_ID = '0198c0de-0000-7000-8000-000000000001';
export const LINK_ID = '0198c0de-0000-7000-8000-0000000000ff';
const IDS = clickIds(WORKSPACE_ID, LINK_ID);

/** The click that `at` tells from others. */
export const getClick = (at: number, more: Partial<NewClick> = {}): NewClick => ({
  ids: IDS,
  at,
  visitor: BigInt(at),
  isBot: false,
  country: 'DE',
  city: 'Köln',
  userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${at}.0.0.0 Safari/537.36`,
  referrer: 'example.com',
  language: 'de',
  utm: [null, null, null, null, null],
  address: null,
  destinationUrl: null,
  ...more,
});
