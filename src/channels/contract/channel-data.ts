/** What a channel says about a received message beside its content. Fields are as in the API. */
import type { Json } from './json.ts';

/** An advertisement or post that led to the message. */
export interface Referral {
  source_type: string | null;
  source_id: string | null;
  source_url: string | null;
  headline: string | null;
  body: string | null;
  /** Identifies the click, for reports to the advertising network. */
  ctwa_clid: string | null;
}

export interface Product {
  catalog_id: string | null;
  product_retailer_id: string;
}

export interface OrderItem {
  product_retailer_id: string;
  quantity: number | null;
  /** Of one piece. */
  price: number | null;
  currency: string | null;
}

export interface Order {
  catalog_id: string | null;
  text: string | null;
  items: OrderItem[];
}

/** News of the channel about the person, which nobody wrote. */
export interface SystemNews {
  /** The channel's name of it. */
  type: string | null;
  /** The address after a change. */
  address: string | null;
  /** Addresses that the person gave up. */
  previous_addresses: string[];
}

/** Why a part of the message could not be read. */
export interface ChannelDataError {
  code: string;
  detail: string;
}

/** The answer to a request for permission to call. */
export interface CallPermission {
  response: string;
  is_permanent: boolean | null;
  /** RFC 3339. */
  expires_at: string | null;
}

export interface ChannelData {
  system?: SystemNews | null;
  error?: ChannelDataError | null;
  forwarded?: {
    frequently: boolean;
    /** The name of who wrote it first; null or left out where that is not told. */
    author?: string | null;
  } | null;
  /** The part of the message that is replied to which the writer chose. */
  quote?: string | null;
  /** What stood below the chosen row of a list. */
  choice?: { description: string } | null;
  call_permission?: CallPermission | null;
  referral: Referral | null;
  /** The product that the message is about. */
  product: Product | null;
  order: Order | null;
  /** The files of an album are messages of their own. */
  album?: {
    /** The same for all messages of the album, within their chat. */
    id: string;
    /** It was received before the others. */
    is_first: boolean;
  } | null;
  /** A message that consists of blocks, as received; its text is the text of the message. */
  rich_message?: Json;
  /** Content of a kind that the driver does not know, as received; the text of the message only says what it is. */
  unsupported?: { type: string; content: Json } | null;
}
