/**
 * Returns a message's channel data besides its content, such as the ad, product or order, as labels and short values.
 */
import { plural, t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';

type ChannelData = NonNullable<Message['channel_data']>;
type OrderItem = NonNullable<ChannelData['order']>['items'][number];

export interface ChannelDataRow {
  label: string;
  /** Plain text written by others. */
  value: string;
}

/** The whole value is in the JSON below the rows. */
const MAX_CHARACTERS = 300;
const MAX_ITEMS = 20;

/** Cuts a long text between code points. */
function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : text;
}

/** "2 × di9ozbzfi4, 30 USD": an amount is as the channel gave it, as its currency may be unknown. */
function toItem({ quantity, product_retailer_id: product, price, currency }: OrderItem): string {
  const amount = [price, currency].filter((part) => part !== null).join(' ');
  return `${quantity ?? 1} × ${product}${amount && `, ${amount}`}`;
}

function toItems(items: readonly OrderItem[]): string[] {
  const lines = items.slice(0, MAX_ITEMS).map((item) => cut(toItem(item)));
  const rest = items.length - lines.length;
  return rest > 0 ? [...lines, plural(rest, { one: '{count} more', other: '{count} more' })] : lines;
}

/** Returns the rows that have a value, in the order of the API. */
export function channelDataRows({ referral, product, order }: ChannelData): ChannelDataRow[] {
  const rows: [label: string, value: string | null | undefined][] = [
    [t('Source type'), referral?.source_type],
    [t('Source ID'), referral?.source_id],
    [t('Source URL'), referral?.source_url],
    [t('Headline'), referral?.headline],
    [t('Text'), referral?.body],
    [t('Click ID'), referral?.ctwa_clid],
    [t('Catalog ID'), product?.catalog_id ?? order?.catalog_id],
    [t('Product ID'), product?.product_retailer_id],
    [t('Note'), order?.text],
  ];
  const shown = rows.flatMap(([label, value]) => (value ? [{ label, value: cut(value) }] : []));
  return order ? [...shown, { label: t('Products'), value: toItems(order.items).join('\n') }] : shown;
}

/** Returns one line for the chat, or null where there is nothing to say. */
export function channelDataNote({ referral, product, order }: ChannelData): string | null {
  if (order)
    return plural(order.items.length, {
      one: 'Order of {count} product',
      other: 'Order of {count} products',
    });
  if (product) return t('About product {product}', { product: cut(product.product_retailer_id) });
  if (!referral) return null;
  const name = referral.headline ?? referral.source_id;
  if (referral.source_type === 'post')
    return name ? t('From a post: {name}', { name: cut(name) }) : t('From a post');
  return name ? t('From an ad: {name}', { name: cut(name) }) : t('From an ad');
}
