/** Reads what messages have beside their content: advertisements, products and orders. */
import type { ChannelData, Order, Product, Referral } from '../contract/channel-data.ts';
import { type JsonObject, readNumberField, readObject, readObjects, readText } from './fields.ts';

function readReferral(referral: JsonObject | null): Referral | null {
  if (!referral) return null;
  const read = {
    source_type: readText(referral['source_type']),
    source_id: readText(referral['source_id']),
    source_url: readText(referral['source_url']),
    headline: readText(referral['headline']),
    body: readText(referral['body']),
    ctwa_clid: readText(referral['ctwa_clid']),
  };
  return Object.values(read).some((value) => value !== null) ? read : null;
}

function readProduct(product: JsonObject | null): Product | null {
  const id = readText(product?.['product_retailer_id']);
  return id === null ? null : { catalog_id: readText(product!['catalog_id']), product_retailer_id: id };
}

function readOrder(order: JsonObject | null): Order | null {
  if (!order) return null;
  const items = readObjects(order['product_items']).flatMap((item) => {
    const id = readText(item['product_retailer_id']);
    if (id === null) return [];
    const [quantity, price] = [item['quantity'], item['item_price']].map(readNumberField) as [
      number | null,
      number | null,
    ];
    return [{ product_retailer_id: id, quantity, price, currency: readText(item['currency']) }];
  });
  return { catalog_id: readText(order['catalog_id']), text: readText(order['text']), items };
}

/** Returns null if the message has only its content. */
export function readChannelData(
  message: JsonObject,
  unsupported: ChannelData['unsupported'] = null,
): ChannelData | null {
  const context = readObject(message['context']);
  const data = {
    referral: readReferral(readObject(message['referral'])),
    product: readProduct(readObject(context?.['referred_product'])),
    order: message['type'] === 'order' ? readOrder(readObject(message['order'])) : null,
    ...(unsupported && { unsupported }),
  };
  return Object.values(data).some((value) => value !== null) ? data : null;
}
