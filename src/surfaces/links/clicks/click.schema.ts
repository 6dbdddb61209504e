/** Schema of a click in lists and in `data.click` of the event `link.clicked`. Exports have the same fields. */
import Type, { type Static } from 'typebox';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { DEVICES, OPERATING_SYSTEMS } from '../records/redirection.ts';

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
    description: 'UTM parameters of the visit and of its destination URL; the first 100 characters of each.',
  },
);

export const Click = Type.Object(
  {
    ...objectFields('click', 'click'),
    link_id: Id('link', 'The link that was clicked.'),
    bot: Type.Boolean({
      description: 'Whether the click came from a bot or a link preview. Bots are counted separately.',
      examples: [false],
    }),
    country: Known('ISO 3166-1 alpha-2 code; null if unknown.', 'DE'),
    city: Known('Name of the city, in English; null if unknown.', 'Berlin'),
    device: Known(`${DEVICES.join(', ')}; null without a user agent.`, 'mobile'),
    os: Known(`${OPERATING_SYSTEMS.join(', ')}, or another; null if unknown.`, 'ios'),
    browser: Known('Name of the browser; null if unknown.', 'Safari'),
    referrer: Known('Host of the referring page; null if none was sent.', 'news.example'),
    language: Known("Primary language of the visitor's browser.", 'de'),
    utm: ClickUtm,
    visitor: Type.String({
      pattern: '^[0-9a-f]{16}$',
      description:
        'Identifies a visitor (IP address and user agent) within a UTC day. Visitors cannot be tracked across days.',
      examples: ['9f86d081884c7d65'],
    }),
    address: Known('The IP address, if the workspace stores it (`click_addresses`); else null.', null),
    destination_url: Known(
      'Which destination of a link with targeting rules the click was redirected to: the final URL of the link or of one of its rules, the first 500 characters. null for links without targeting rules.',
      'https://apps.apple.com/app/id123',
    ),
    message_id: Nullable(Id('message'), {
      description: 'The message that the link was created for.',
      examples: [null],
    }),
    contact_id: Nullable(Id('contact'), {
      description: 'The contact that the link was created for.',
      examples: [null],
    }),
    created_at: Timestamp('Time of the click.'),
  },
  { title: 'Click' },
);

export const ClickParams = Strict({
  id: Type.String({ maxLength: 100, description: 'ID of the link.', examples: [exampleId('link')] }),
  click_id: Type.String({ maxLength: 100, description: 'ID of the click.', examples: [exampleId('click')] }),
});

export type ClickObject = Static<typeof Click>;
