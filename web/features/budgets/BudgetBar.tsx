/** Shows how much of a budget is used and reserved, as a bar and as text. */
import { Text } from '@mantine/core';
import type { Budget } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { TONES } from '../../design/tone.ts';
import { formatAmount, formatUsed, getLimit, getShares } from './budget-text.ts';
import classes from './budgets.module.css';

export function BudgetBar({ budget }: { budget: Budget }) {
  const limit = getLimit(budget);
  const { used, reserved, tone } = getShares(budget);
  const left = t('{amount} left', { amount: formatAmount(budget.remaining, limit.unit) });
  return (
    <div className={classes.budget}>
      <div className={classes.words}>
        <span>{formatUsed(budget.used, limit)}</span>
        <Text size="xs" c="dimmed">
          {left}
        </Text>
      </div>
      <div
        className={classes.bar}
        style={
          { '--bar': tone === 'good' ? 'var(--mantine-color-sea-5)' : TONES[tone] } as React.CSSProperties
        }
        aria-hidden
      >
        <span style={{ width: `${used}%` }} />
        <span style={{ width: `${reserved}%` }} data-reserved />
      </div>
    </div>
  );
}
