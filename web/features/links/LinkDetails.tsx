/** All properties of a link. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { formatNumber, language, plural, t } from '../../copy/text.ts';
import { tagColorsQuery } from '../../api/tags.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import { TagChips } from '../../design/TagChips.tsx';
import ui from '../../design/ui.module.css';
import { finalUrl, type Utm, UTM_NAMES } from './final-url.ts';
import { DEVICE_NAMES, OS_NAMES } from '../analytics/platforms.ts';
import { countryName, languageName } from '../analytics/places.ts';
import type { LinkTabProps } from './link-tab-props.ts';
import classes from './link.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';

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
            {t('Metadata')}
          </Title>
          <JsonView value={link.metadata} />
        </section>
      )}
      <AsCurl call={{ method: 'GET', path: `/links/${link.id}` }} />
    </Stack>
  );
}

const Address = ({ url }: { url: string }) => <span className={`${ui.mono} ${atoms.breaks}`}>{url}</span>;

/** Fields that the page shows above the tabs, or in a part of its own. */
type Elsewhere = 'object' | 'domain' | 'slug' | 'short_url' | 'state' | 'targeting' | 'utm' | 'metadata';
type TargetField =
  | 'url'
  | 'tags'
  | 'title'
  | 'description'
  | 'image'
  | 'expires_at'
  | 'max_clicks'
  | 'expired_url'
  | 'has_password';
/** All others, so that no field is missing on this page. */
type RestField = Exclude<keyof Link, Elsewhere | TargetField>;

function Target({ link }: { link: Link }) {
  const { workspace } = useWorkspace();
  const { data: colors = NO_COLORS } = useQuery(tagColorsQuery(workspace.id));
  const utm = Object.fromEntries(UTM_NAMES.map((name) => [name, link.utm[name] ?? ''])) as unknown as Utm;
  const final = finalUrl(link.url, utm);
  const rows: Record<TargetField, DescriptionItem> = {
    url: [t('Destination URL'), <Address url={final ?? link.url} />],
    tags: [
      t('Tags'),
      link.tags.length === 0 ? (
        <Text c="dimmed">{t('None')}</Text>
      ) : (
        <TagChips names={link.tags} colors={colors} />
      ),
    ],
    title: link.title === null ? null : [t('Title'), <span dir="auto">{link.title}</span>],
    description:
      link.description === null ? null : [t('Description'), <span dir="auto">{link.description}</span>],
    // The image isn't loaded, since that would reveal the user to its server.
    image: link.image === null ? null : [t('Image'), <Address url={link.image} />],
    expires_at: [t('Expires'), <RelativeTime at={link.expires_at} none={t('Never')} />],
    max_clicks: [
      t('Click limit'),
      link.max_clicks === null ? <Text c="dimmed">{t('Unlimited')}</Text> : formatNumber(link.max_clicks),
    ],
    expired_url: link.expired_url === null ? null : [t('Expiration URL'), <Address url={link.expired_url} />],
    has_password: [t('Password'), link.has_password ? t('Required') : <Text c="dimmed">{t('None')}</Text>],
  };
  return <DescriptionList rows={Object.values(rows)} />;
}

function Rest({ link }: { link: Link }) {
  const rows: Record<RestField, DescriptionItem> = {
    id: [t('ID'), <Id id={link.id} />],
    external_id:
      link.external_id === null
        ? null
        : [t('External ID'), <Id id={link.external_id} of={t('External ID')} />],
    redirect_status: [t('Redirect status'), <span className={ui.mono}>{link.redirect_status}</span>],
    forward_query: [t('Query forwarding'), link.forward_query ? t('Enabled') : t('Disabled')],
    clicks: [
      t('Clicks'),
      t('{clicks} by people, {unique} unique', {
        clicks: formatNumber(link.clicks),
        unique: formatNumber(link.unique_clicks),
      }),
    ],
    // Beside all clicks.
    unique_clicks: null,
    bot_clicks: [
      t('Bots'),
      plural(link.bot_clicks, {
        one: '{count} click by bots and link previews',
        other: '{count} clicks by bots and link previews',
      }),
    ],
    last_clicked_at: [t('Last clicked'), <RelativeTime at={link.last_clicked_at} none={t('Never')} />],
    created_at: [t('Created'), exactTime(link.created_at)],
    created_by: link.created_by === null ? null : [t('Created by'), <ObjectName id={link.created_by} />],
    updated_at: [t('Updated'), exactTime(link.updated_at)],
    message_id: link.message_id === null ? null : [t('Message'), <Id id={link.message_id} short />],
    contact_id: link.contact_id === null ? null : [t('Contact'), <Id id={link.contact_id} short />],
  };
  return <DescriptionList rows={Object.values(rows)} />;
}

const anyOf = new Intl.ListFormat(language, { type: 'disjunction' });
const allOf = new Intl.ListFormat(language, { type: 'conjunction' });

const getConditions = (when: Link['targeting'][number]['when']): string =>
  allOf.format(
    [
      when.country?.map(countryName),
      when.language?.map(languageName),
      when.device?.map((name) => DEVICE_NAMES[name]),
      when.os?.map((name) => OS_NAMES[name]),
    ]
      .filter((values) => values !== undefined)
      .map((values) => anyOf.format(values)),
  );

function Targeting({ rules }: { rules: Link['targeting'] }) {
  return (
    <section>
      <Title order={2} mb={6}>
        {t('Targeting')}
      </Title>
      <ol className={classes.rules}>
        {rules.map(({ when, url }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- rules have no ID, and two may be equal
          <li key={at}>
            <Text>{getConditions(when)}</Text>
            <Address url={url} />
          </li>
        ))}
      </ol>
    </section>
  );
}
