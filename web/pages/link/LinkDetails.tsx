/** All that is set of a link. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tagColorsQuery } from '../../api/tags.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { TagChips } from '../../ui/TagChips.tsx';
import ui from '../../ui/ui.module.css';
import { finalUrl, type Utm, UTM_NAMES } from '../links/final-url.ts';
import { DEVICE_NAMES, numberOf, OS_NAMES } from '../links/link-text.ts';
import { countryName, languageName } from '../links/places.ts';
import type { LinkTabProps } from './link-tabs.ts';
import classes from './link.module.css';

const NO_COLORS = new Map<string, string>();

export function LinkDetails({ link }: LinkTabProps) {
  return (
    <Stack gap="lg">
      <div className={classes.details}>
        <Target link={link} />
        <Rest link={link} />
      </div>
      {link.targeting.length > 0 && <Targeting rules={link.targeting} />}
      {Object.keys(link.metadata).length > 0 && (
        <section>
          <Title order={2} mb={6}>
            Metadata
          </Title>
          <JsonView value={link.metadata} />
        </section>
      )}
      <AsCurl call={{ method: 'GET', path: `/links/${link.id}` }} />
    </Stack>
  );
}

const Address = ({ url }: { url: string }) => <span className={`${ui.mono} ${classes.breaks}`}>{url}</span>;

function Target({ link }: { link: Link }) {
  const { workspace } = useWorkspace();
  const { data: colors = NO_COLORS } = useQuery(tagColorsQuery(workspace.id));
  const utm = Object.fromEntries(UTM_NAMES.map((name) => [name, link.utm[name] ?? ''])) as unknown as Utm;
  const final = finalUrl(link.url, utm);
  return (
    <DescriptionList
      rows={[
        ['Leads to', <Address url={final ?? link.url} />],
        [
          'Tags',
          link.tags.length === 0 ? (
            <Text c="dimmed">none</Text>
          ) : (
            <TagChips names={link.tags} colors={colors} />
          ),
        ],
        link.title === null ? null : ['Title', <span dir="auto">{link.title}</span>],
        link.description === null ? null : ['Description', <span dir="auto">{link.description}</span>],
        // Another server's picture is not loaded: it would tell that server who looks.
        link.image === null ? null : ['Picture', <Address url={link.image} />],
        ['Expires', <RelativeTime at={link.expires_at} none="never" />],
        [
          'Most clicks',
          link.max_clicks === null ? <Text c="dimmed">no limit</Text> : numberOf(link.max_clicks),
        ],
        link.expired_url === null ? null : ['Afterwards', <Address url={link.expired_url} />],
        ['Password', link.has_password ? 'asked for' : <Text c="dimmed">none</Text>],
      ]}
    />
  );
}

function Rest({ link }: { link: Link }) {
  return (
    <DescriptionList
      rows={[
        ['Id', <Id id={link.id} />],
        link.external_id === null ? null : ['External id', <Id id={link.external_id} of="external id" />],
        ['Status', <span className={ui.mono}>{link.redirect_status}</span>],
        ['Query', link.forward_query ? 'forwarded to the target' : 'not forwarded'],
        ['Clicks', `${numberOf(link.clicks)} of people, ${numberOf(link.unique_clicks)} unique`],
        ['Bots', `${numberOf(link.bot_clicks)} visits of bots and previews`],
        ['Last click', <RelativeTime at={link.last_clicked_at} none="never" />],
        ['Created', <RelativeTime at={link.created_at} />],
        link.created_by === null ? null : ['By', <Id id={link.created_by} short />],
        ['Changed', <RelativeTime at={link.updated_at} />],
        link.message_id === null ? null : ['Message', <Id id={link.message_id} short />],
        link.contact_id === null ? null : ['Contact', <Id id={link.contact_id} short />],
      ]}
    />
  );
}

const conditionsOf = ({ country, language, device, os }: Link['targeting'][number]['when']): string =>
  [
    country?.map(countryName),
    language?.map(languageName),
    device?.map((name) => DEVICE_NAMES[name]),
    os?.map((name) => OS_NAMES[name]),
  ]
    .filter((values) => values !== undefined)
    .map((values) => values.join(' or '))
    .join(', and ');

function Targeting({ rules }: { rules: Link['targeting'] }) {
  return (
    <section>
      <Title order={2} mb={6}>
        Targeting
      </Title>
      <ol className={classes.rules}>
        {rules.map(({ when, url }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a rule is its place: two may say the same
          <li key={at}>
            <Text>{conditionsOf(when)}</Text>
            <Address url={url} />
          </li>
        ))}
      </ol>
    </section>
  );
}
