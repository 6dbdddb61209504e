/** Columns of the link table. */
import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconLock } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { formatNumber, plural, t } from '../../copy/text.ts';
import type { LinkSort } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { shownAddress } from '../../design/addresses.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { TagChips } from '../../design/TagChips.tsx';
import ui from '../../design/ui.module.css';
import classes from './links.module.css';
import { LinkState } from './LinkState.tsx';

export interface LinkTable {
  sort: LinkSort;
  onSort: (sort: LinkSort) => void;
  /** Colors of tags by name. */
  colors: ReadonlyMap<string, string>;
}

const SHOWN_TAGS = 2;
const MAX_SLUG = 16;

function sortable(title: string, by: LinkSort, { sort, onSort }: LinkTable) {
  const sorted = sort === by;
  return {
    sorted,
    label: title,
    title: (
      <UnstyledButton className={classes.sort} data-sorted={sorted || undefined} onClick={() => onSort(by)}>
        {title}
        <IconChevronDown size={12} aria-hidden />
      </UnstyledButton>
    ),
  };
}

/** Keeps the slug whole, up to a length, where the host doesn't fit. */
function ShortLink({ address }: { address: string }) {
  const slugLength = address.length - address.indexOf('/');
  return <MiddleCut text={address} tail={Math.min(slugLength, MAX_SLUG)} />;
}

export function linkColumns(table: LinkTable): Column<Link>[] {
  const { colors } = table;
  return [
    {
      key: 'short_url',
      title: t('Short link'),
      fixed: true,
      render: (link) => (
        <div className={classes.short}>
          <span className={ui.id}>
            <ShortLink address={shownAddress(link.short_url)} />
            {link.has_password && (
              <IconLock size={13} role="img" aria-label={t('Password protected')} className={classes.lock} />
            )}

            <CopyButton text={link.short_url} label={t('Copy short link')} />
          </span>
          <div className={`${ui.narrowOnly} ${atoms.note}`}>
            <MiddleCut text={link.url} tail={6} />
            {link.state !== 'active' && <LinkState state={link.state} />}
          </div>
        </div>
      ),
    },
    {
      key: 'url',
      title: t('Destination URL'),
      from: 'medium',
      render: ({ url, title }) => (
        <div className={classes.target}>
          {title !== null && (
            <Text truncate dir="auto" title={title}>
              {title}
            </Text>
          )}
          <div className={title === null ? undefined : atoms.note}>
            <MiddleCut text={url} tail={8} />
          </div>
        </div>
      ),
    },
    {
      key: 'tags',
      title: t('Tags'),
      from: 'wide',
      render: ({ tags }) =>
        tags.length === 0 ? '–' : <TagChips names={tags} colors={colors} most={SHOWN_TAGS} />,
    },
    { key: 'state', title: t('Status'), from: 'medium', render: ({ state }) => <LinkState state={state} /> },
    {
      key: 'clicks',
      align: 'right',
      ...sortable(t('Clicks'), 'clicks', table),
      render: ({ clicks, bot_clicks: bots }) => (
        <span className={classes.clicks}>
          {formatNumber(clicks)}
          {bots > 0 && (
            <Text span inherit size="xs" c="dimmed">
              {plural(bots, { one: '+{count} bot', other: '+{count} bots' })}
            </Text>
          )}
        </span>
      ),
    },
    {
      key: 'last_clicked_at',
      from: 'widest',
      ...sortable(t('Last clicked'), 'last_clicked_at', table),
      render: ({ last_clicked_at: at }) => <RelativeTime at={at} none={t('Never')} />,
    },
    {
      key: 'created_at',
      from: 'medium',
      ...sortable(t('Created'), 'created_at', table),
      render: ({ created_at: at }) => <RelativeTime at={at} />,
    },
  ];
}
