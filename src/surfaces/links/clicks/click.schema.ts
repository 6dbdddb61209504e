/** A click as the API shows it: in lists, exports, and `data.click` of the event `link.clicked`. */
import Type, { type Static } from 'typebox';
import { Id, Nullable, objectFields, Timestamp } from '../../../platform/http/schema.ts';
import { DEVICES, OPERATING_SYSTEMS } from '../redirect/route.ts';

const Known = (description: string, example: string | null) =>
  Nullable(Type.String(), { description, examples: [example] });

const ClickUtm = Type.Object(
  {
    source: Known('`utm_source`.', 'newsletter'),
    medium: Known('`utm_medium`.', 'email'),
    campaign: Known('`utm_campaign`.', 'spring'),
    term: Known('`utm_term`.', null),
    content: Known('`utm_content`.', null),
  },
  {
    title: 'ClickUtm',
    description:
      'UTM parameters of the visit and of the address that it was sent to; the first 100 characters of each.',
  },
);

export const Click = Type.Object(
  {
    ...objectFields('click', 'click'),
    link_id: Id('link', 'The link that was clicked.'),
    bot: Type.Boolean({
      description: 'Whether a bot or a preview fetcher asked, not a person. Bots are counted apart.',
      examples: [false],
    }),
    country: Known('ISO 3166-1 alpha-2 code; null where it is not known.', 'DE'),
    city: Known('Name of the city, in English; null where it is not known.', 'Berlin'),
    device: Known(`${DEVICES.join(', ')}; null where the user agent does not tell.`, 'mobile'),
    os: Known(`${OPERATING_SYSTEMS.join(', ')}, or another; null where the user agent does not tell.`, 'ios'),
    browser: Known('Name of the browser; null where the user agent does not tell.', 'Safari'),
    referrer: Known('Host of the page that the click came from; null where none was told.', 'news.example'),
    language: Known('Primary language that the browser asks for.', 'de'),
    utm: ClickUtm,
    visitor: Type.String({
      pattern: '^[0-9a-f]{16}$',
      description:
        'The same for all clicks of one visitor (address and user agent) on a UTC day; it tells nothing over days.',
      examples: ['9f86d081884c7d65'],
    }),
    address: Known('The IP address, where the workspace keeps it (`click_addresses`); otherwise null.', null),
    message_id: Nullable(Id('message'), {
      description: 'The message that the link was made for.',
      examples: [null],
    }),
    contact_id: Nullable(Id('contact'), {
      description: 'The contact that the link was made for.',
      examples: [null],
    }),
    created_at: Timestamp('When it was clicked.'),
  },
  { title: 'Click' },
);

export type ClickObject = Static<typeof Click>;
