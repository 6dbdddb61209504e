/** The schema of channel data of a received message, as the API shows it. */
import Type, { type TSchema } from 'typebox';
import { Nullable } from '../../../platform/http/schema.ts';

const Text = (description: string, example: string) =>
  Nullable(Type.String(), { description, examples: [example] });
const ProductId = Type.String({
  description: 'ID of the product in the catalog.',
  examples: ['di9ozbzfi4'],
});
const CatalogId = Text('ID of the catalog.', '194836987003835');

const Part = (fields: Record<string, TSchema>, title: string, description: string) =>
  Nullable(Type.Object(fields, { title }), { description, examples: [null] });

const OrderItem = Type.Object(
  {
    product_retailer_id: ProductId,
    quantity: Nullable(Type.Number(), { description: 'Quantity.', examples: [2] }),
    price: Nullable(Type.Number(), { description: 'Price per unit.', examples: [30] }),
    currency: Text('Currency of the price.', 'USD'),
  },
  { title: 'MessageOrderItem' },
);

export const ChannelDataSchema = Nullable(
  Type.Object(
    {
      system: Part(
        {
          type: Text("The channel's name of the news.", 'user_changed_number'),
          address: Text('The new address, if the person has another one.', '+16505551234'),
          previous_addresses: Type.Array(Type.String(), {
            description: 'Addresses that the person gave up.',
            examples: [['+16505550000']],
          }),
        },
        'MessageSystem',
        'News of the channel about the person, which nobody wrote.',
      ),
      error: Part(
        {
          code: Type.String({ description: 'Error code.', examples: ['media_download_failed'] }),
          detail: Type.String({
            description: 'Reason, for people.',
            examples: ['WhatsApp error 131052: The file is too large.'],
          }),
        },
        'MessageChannelError',
        'Why the channel could not deliver a part of the message, such as its file.',
      ),
      forwarded: Part(
        {
          frequently: Type.Boolean({
            description: 'Whether it was forwarded many times.',
            examples: [false],
          }),
          author: Type.Optional(
            Text('Name of who wrote the message that was forwarded, if the channel tells it.', 'Ann Lee'),
          ),
        },
        'MessageForwarded',
        'The person forwarded the message.',
      ),
      quote: Type.Optional(
        Text(
          'The part of the replied-to message that the person quoted, if it is not all of it.',
          'the red one',
        ),
      ),
      choice: Part(
        {
          description: Type.String({ description: 'Text below the title.', examples: ['Delivery by noon'] }),
        },
        'MessageChoice',
        'The chosen row of a list.',
      ),
      call_permission: Part(
        {
          response: Type.String({ description: '`accept` or `reject`.', examples: ['accept'] }),
          is_permanent: Nullable(Type.Boolean(), {
            description: 'Whether the permission has no end.',
            examples: [false],
          }),
          expires_at: Nullable(Type.String(), {
            description: 'When the permission ends.',
            examples: ['2026-01-15T09:30:00.000Z'],
          }),
        },
        'MessageCallPermission',
        'The answer to a request for permission to call.',
      ),
      referral: Part(
        {
          source_type: Text('Type of the source: `ad` or `post`.', 'ad'),
          source_id: Text('ID of the ad or post.', '120226305854810726'),
          source_url: Text('URL of the ad or post.', 'https://fb.me/3cr4Wqqkv'),
          headline: Text('Headline of the ad or post.', 'Chat with us'),
          body: Text('Text of the ad or post.', 'Summer succulents are here!'),
          ctwa_clid: Text('ID of the click, for the Conversions API of Meta.', 'Aff-n8ZTODiE79d22KtAwQKj9e'),
        },
        'MessageReferral',
        'The ad or post that led to the message.',
      ),
      product: Part(
        { catalog_id: CatalogId, product_retailer_id: ProductId },
        'MessageProduct',
        'The product that the message is about.',
      ),
      order: Part(
        {
          catalog_id: CatalogId,
          text: Text('Note from the customer.', 'Please wrap it.'),
          items: Type.Array(OrderItem, { description: 'The ordered products.' }),
        },
        'MessageOrder',
        'The order in the message.',
      ),
      album: Type.Optional(
        Part(
          {
            id: Type.String({
              description: 'The same for all messages of the album, within their chat.',
              examples: ['13824583915208474'],
            }),
            is_first: Type.Boolean({
              description: 'Whether the message was received before the others of the album.',
              examples: [true],
            }),
          },
          'MessageAlbum',
          'The album that the message is part of: several files that were sent together, each a message.',
        ),
      ),
      rich_message: Type.Optional(
        Type.Unknown({
          description:
            'A Telegram message that consists of blocks, as received. Its text is the text of the message. Untrusted.',
          examples: [{ blocks: [{ type: 'paragraph', text: 'Hi' }] }],
        }),
      ),
      unsupported: Type.Optional(
        Part(
          {
            type: Type.String({ description: 'What the channel calls it.', examples: ['dice'] }),
            content: Type.Unknown({
              description: 'The content as received. Untrusted.',
              examples: [{ emoji: '🎲', value: 4 }],
            }),
          },
          'MessageUnsupported',
          'Content of a kind that Fairlead does not support; the text of the message only says what it is.',
        ),
      ),
    },
    { title: 'MessageChannelData' },
  ),
  {
    description:
      'Further data about a received message from the channel; null if there is none. WhatsApp and Telegram only.',
    examples: [null],
  },
);

const NONE = {
  system: null,
  error: null,
  forwarded: null,
  choice: null,
  call_permission: null,
  referral: null,
  product: null,
  order: null,
};

/** Adds missing parts to stored data, because earlier versions had fewer of them. */
export const presentChannelData = <T>(stored: T): T => (stored === null ? stored : { ...NONE, ...stored });
