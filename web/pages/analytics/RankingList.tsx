/** Values with their clicks, the most first, each with a bar as long as its part. */
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { numberOf } from '../links/link-text.ts';
import classes from './ranking.module.css';

export interface RankingRow {
  key: string;
  label: React.ReactNode;
  clicks: number;
  /** Of the period before, where it is compared. */
  before: number | undefined;
  /** Narrows what is shown to it, or goes there; undefined where that is not possible. */
  choose: (() => void) | undefined;
  /** It is what is shown already. */
  chosen: boolean;
}

interface RankingListProps {
  label: string;
  rows: RankingRow[];
  /** Clicks of people in the range: of what the rows are parts. */
  total: number;
}

const FEW = 8;
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

const partOf = (clicks: number, total: number): string => {
  if (total === 0) return '';
  const part = clicks / total;
  return part > 0 && part < 0.01 ? '<1%' : percent.format(part);
};

export function RankingList({ label, rows, total }: RankingListProps) {
  const [all, setAll] = useState(false);
  const most = Math.max(1, ...rows.map(({ clicks }) => clicks));
  if (rows.length === 0) return <p className={classes.none}>No clicks of people in this range.</p>;
  return (
    <>
      <ol className={classes.ranking} aria-label={label} {...(all && { tabIndex: 0 })}>
        {(all ? rows : rows.slice(0, FEW)).map((row) => (
          <li key={row.key}>
            <Row row={row} width={row.clicks / most} part={partOf(row.clicks, total)} />
          </li>
        ))}
      </ol>
      {rows.length > FEW && (
        <UnstyledButton className={classes.more} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${rows.length}`}
        </UnstyledButton>
      )}
    </>
  );
}

function Row({ row, width, part }: { row: RankingRow; width: number; part: string }) {
  const inner = (
    <>
      <span className={classes.bar} style={{ width: `${width * 100}%` }} aria-hidden />
      <span className={classes.rowLabel}>{row.label}</span>
      {row.before !== undefined && (
        <span className={classes.rowBefore} data-tip="In the period before">
          was {numberOf(row.before)}
        </span>
      )}
      <span className={classes.rowCount}>{numberOf(row.clicks)}</span>
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
