/** Metadata that a channel delivers with a received message. Fields are as in the API. */
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
  /** Unit price. */
  price: number | null;
  currency: string | null;
}

export interface Order {
  catalog_id: string | null;
  text: string | null;
  items: OrderItem[];
}

/** A notice from the channel about the contact, such as a changed phone number. It was not written by a person. */
export interface SystemNews {
  /** The channel's name for the kind of notice. */
  type: string | null;
  /** The contact's new address. */
  address: string | null;
  /** Addresses that the contact no longer has. */
  previous_addresses: string[];
}

/** Why part of the message could not be read. */
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
    /** Name of the original author; null or omitted if unknown. */
    author?: string | null;
  } | null;
  /** The excerpt of the replied-to message that the sender selected. */
  quote?: string | null;
  /** The chosen list row's description. */
  choice?: { description: string } | null;
  call_permission?: CallPermission | null;
  referral: Referral | null;
  /** The product that the message refers to. */
  product: Product | null;
  order: Order | null;
  /** Set if the message is one file of an album. Each file of an album is a separate message. */
  album?: {
    /** The same for all messages of the album; unique within the chat. */
    id: string;
    /** Whether this message of the album was received first. */
    is_first: boolean;
  } | null;
  /** A message made of blocks, as received. Its plain text is the text of the message. */
  rich_message?: Json;
  /** Content of a type that the driver does not support, as received. The text of the message only names the type. */
  unsupported?: { type: string; content: Json } | null;
}
