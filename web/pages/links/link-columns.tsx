/** Columns of the table of links. */
import { Checkbox, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconLock } from '@tabler/icons-react';
import type { LinkSort } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { MiddleCut } from '../../ui/MiddleCut.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { TagChips } from '../../ui/TagChips.tsx';
import ui from '../../ui/ui.module.css';
import { numberOf } from './link-text.ts';
import classes from './links.module.css';
import { LinkState } from './LinkState.tsx';

export type LinkAction = 'edit' | 'archive' | 'delete';

export interface LinkTable {
  sort: LinkSort;
  onSort: (sort: LinkSort) => void;
  /** Colours of tags by name. */
  colors: ReadonlyMap<string, string>;
  /** Absent where the reader may not write. */
  writing?: {
    chosen: ReadonlySet<string>;
    onChoose: (chosen: ReadonlySet<string>) => void;
    /** Ids of all that are listed. */
    listed: readonly string[];
    onAction: (link: Link, action: LinkAction) => void;
  };
}

const SHOWN_TAGS = 2;

/** A press on it is none on the row. */
const Apart = ({ children }: { children: React.ReactNode }) => (
  <span role="presentation" onClick={(event) => event.stopPropagation()}>
    {children}
  </span>
);

function choice({ chosen, onChoose, listed }: NonNullable<LinkTable['writing']>): Column<Link> {
  const isAll = listed.length > 0 && listed.every((id) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) => {
    const changed = new Set(chosen);
    if (isChosen) changed.add(id);
    else changed.delete(id);
    onChoose(changed);
  };
  return {
    key: 'choice',
    width: 16,
    title: (
      <Checkbox
        size="xs"
        aria-label="Select all that are shown"
        checked={isAll}
        indeterminate={chosen.size > 0 && !isAll}
        onChange={() => onChoose(isAll ? new Set() : new Set(listed))}
      />
    ),
    render: ({ id, short_url: address }) => (
      <Apart>
        <Checkbox
          size="xs"
          aria-label={`Select ${shownAddress(address)}`}
          checked={chosen.has(id)}
          onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
        />
      </Apart>
    ),
  };
}

function sortable(title: string, by: LinkSort, { sort, onSort }: LinkTable) {
  const sorted = sort === by;
  return {
    sorted,
    title: (
      <UnstyledButton className={classes.sort} data-sorted={sorted || undefined} onClick={() => onSort(by)}>
        {title}
        <IconChevronDown size={12} aria-hidden />
      </UnstyledButton>
    ),
  };
}

export function linkColumns(table: LinkTable): Column<Link>[] {
  const { writing, colors } = table;
  return [
    ...(writing ? [choice(writing)] : []),
    {
      key: 'short_url',
      title: 'Short link',
      render: (link) => (
        <div className={classes.short}>
          <span className={ui.id}>
            <span className={`${ui.mono} ${classes.cut}`} title={shownAddress(link.short_url)} dir="auto">
              {shownAddress(link.short_url)}
            </span>
            {link.has_password && (
              <IconLock size={13} role="img" aria-label="asks for a password" className={classes.lock} />
            )}
            <Apart>
              <CopyButton text={link.short_url} label="Copy the short link" />
            </Apart>
          </span>
          <div className={`${ui.narrowOnly} ${classes.below}`}>
            <MiddleCut text={link.url} tail={6} />
            {link.state !== 'active' && <LinkState state={link.state} />}
          </div>
        </div>
      ),
    },
    {
      key: 'url',
      title: 'Leads to',
      from: 'medium',
      render: ({ url, title }) => (
        <div className={classes.target}>
          {title !== null && (
            <Text truncate dir="auto" title={title}>
              {title}
            </Text>
          )}
          <div className={title === null ? undefined : classes.dimmed}>
            <MiddleCut text={url} tail={8} />
          </div>
        </div>
      ),
    },
    {
      key: 'tags',
      title: 'Tags',
      from: 'wide',
      render: ({ tags }) =>
        tags.length === 0 ? '–' : <TagChips names={tags} colors={colors} most={SHOWN_TAGS} />,
    },
    { key: 'state', title: 'State', from: 'medium', render: ({ state }) => <LinkState state={state} /> },
    {
      key: 'clicks',
      align: 'right',
      ...sortable('Clicks', 'clicks', table),
      render: ({ clicks, bot_clicks: bots }) => (
        <span className={classes.clicks}>
          {numberOf(clicks)}
          {bots > 0 && (
            <Text
              span
              inherit
              size="xs"
              c="dimmed"
            >{`+${numberOf(bots)} ${bots === 1 ? 'bot' : 'bots'}`}</Text>
          )}
        </span>
      ),
    },
    {
      key: 'last_clicked_at',
      from: 'widest',
      ...sortable('Last click', 'last_clicked_at', table),
      render: ({ last_clicked_at: at }) => <RelativeTime at={at} none="never" />,
    },
    {
      key: 'created_at',
      from: 'medium',
      ...sortable('Created', 'created_at', table),
      render: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    ...(writing ? [menu(writing.onAction)] : []),
  ];
}

const menu = (onAction: (link: Link, action: LinkAction) => void): Column<Link> => ({
  key: 'menu',
  title: '',
  width: 20,
  from: 'medium',
  render: (link) => (
    <RowMenu
      of={shownAddress(link.short_url)}
      actions={[
        { label: 'Change', onClick: () => onAction(link, 'edit') },
        {
          label: link.state === 'archived' ? 'Restore' : 'Archive',
          onClick: () => onAction(link, 'archive'),
        },
        { label: 'Delete', danger: true, onClick: () => onAction(link, 'delete') },
      ]}
    />
  ),
});
