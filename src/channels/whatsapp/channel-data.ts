/**
 * Reads data of messages besides their content: advertisements, products, orders, marks, errors and notices of the
 * channel.
 */
import type {
  CallPermission,
  ChannelData,
  ChannelDataError,
  Order,
  Product,
  Referral,
  SystemNews,
} from '../contract/channel-data.ts';
import { readError } from './errors.ts';
import type { AddressChange } from './address-change.ts';
import { type JsonObject, readTime, readNumberField, readObject, readObjects, readText } from './fields.ts';

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

function readForwarded(context: JsonObject | null): ChannelData['forwarded'] {
  const frequently = context?.['frequently_forwarded'] === true;
  return frequently || context?.['forwarded'] === true ? { frequently } : null;
}

function readMessageError(message: JsonObject): ChannelDataError | null {
  const error = readError(readObjects(message['errors'])[0]);
  return error && { code: error.meaning?.code ?? 'unreadable', detail: error.detail };
}

function readChoice(reply: JsonObject | null): ChannelData['choice'] {
  const description = readText(readObject(reply?.['list_reply'])?.['description']);
  return description === null ? null : { description };
}

function readCallPermission(reply: JsonObject | null): CallPermission | null {
  const permission = readObject(reply?.['call_permission_reply']);
  const response = readText(permission?.['response']);
  if (!permission || response === null) return null;
  const { is_permanent: isPermanent } = permission;
  return {
    response,
    is_permanent: typeof isPermanent === 'boolean' ? isPermanent : null,
    expires_at: readTime(permission['expiration_timestamp'])?.toISOString() ?? null,
  };
}

function readSystem(system: JsonObject | null, change: AddressChange | null): SystemNews | null {
  if (!system) return null;
  return {
    type: readText(system['type']),
    address: change?.addresses[0] ?? null,
    previous_addresses: [...(change?.former ?? [])],
  };
}

/**
 * Returns null if the message has only its content.
 * @param change of the writer's addresses, which the message is about
 */
export function readChannelData(
  message: JsonObject,
  change: AddressChange | null = null,
  unsupported: ChannelData['unsupported'] = null,
): ChannelData | null {
  const context = readObject(message['context']);
  const reply = readObject(message['interactive']);
  const data = {
    system: message['type'] === 'system' ? readSystem(readObject(message['system']), change) : null,
    error: readMessageError(message),
    forwarded: readForwarded(context),
    choice: readChoice(reply),
    call_permission: readCallPermission(reply),
    referral: readReferral(readObject(message['referral'])),
    product: readProduct(readObject(context?.['referred_product'])),
    order: message['type'] === 'order' ? readOrder(readObject(message['order'])) : null,
    ...(unsupported && { unsupported }),
  };
  return Object.values(data).some((value) => value !== null) ? data : null;
}
