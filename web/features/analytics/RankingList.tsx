/** Values with their clicks, most clicks first, each with a bar for its share. */
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { formatNumber, language, t } from '../../copy/text.ts';
import classes from './ranking.module.css';

export interface RankingRow {
  key: string;
  label: React.ReactNode;
  clicks: number;
  /** Clicks in the previous period; undefined without comparison. */
  before: number | undefined;
  /** Filters by the value, or opens it; undefined if neither is possible. */
  choose: (() => void) | undefined;
  /** Whether the page is filtered by the value. */
  chosen: boolean;
}

interface RankingListProps {
  label: string;
  rows: RankingRow[];
  /** All clicks by people in the range; each row is a share of them. */
  total: number;
}

const COLLAPSED_ROWS = 8;
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });

const getShare = (clicks: number, total: number): string => {
  if (total === 0) return '';
  const part = clicks / total;
  return part > 0 && part < 0.01 ? '<1%' : percent.format(part);
};

export function RankingList({ label, rows, total }: RankingListProps) {
  const [all, setAll] = useState(false);
  if (rows.length === 0) return <p className={classes.none}>{t('No clicks by people in this range.')}</p>;
  return (
    <>
      <ol className={classes.ranking} aria-label={label} {...(all && { tabIndex: 0 })}>
        {(all ? rows : rows.slice(0, COLLAPSED_ROWS)).map((row) => (
          <li key={row.key}>
            <Row
              row={row}
              width={total === 0 ? 0 : Math.min(1, row.clicks / total)}
              part={getShare(row.clicks, total)}
            />
          </li>
        ))}
      </ol>
      {rows.length > COLLAPSED_ROWS && (
        <UnstyledButton className={classes.more} onClick={() => setAll(!all)}>
          {all ? t('Show fewer') : t('Show all {count}', { count: rows.length })}
        </UnstyledButton>
      )}
    </>
  );
}

function Row({ row, width, part }: { row: RankingRow; width: number; part: string }) {
  const inner = (
    <>
      <span className={classes.bar} style={{ width: `${width * 100}%` }} aria-hidden />
      <span className={atoms.cutRest}>{row.label}</span>
      {row.before !== undefined && (
        <span className={classes.rowBefore} data-tip={t('Previous period')}>
          {t('was {before}', { before: formatNumber(row.before) })}
        </span>
      )}
      <span className={classes.rowCount}>{formatNumber(row.clicks)}</span>
      <span className={classes.rowPart}>{part}</span>
    </>
  );
  return row.choose ? (
    <UnstyledButton className={classes.row} aria-pressed={row.chosen} onClick={row.choose}>
      {inner}
    </UnstyledButton>
  ) : (
    <div className={classes.row}>{inner}</div>
  );
}
