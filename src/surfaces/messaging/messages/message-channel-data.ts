/** What a channel says about a received message beside its content, as the API shows it. */
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
