/** How a rule goes, on a line; and why it was stopped last, where it was. */
import { Alert, Text } from '@mantine/core';
import { IconShieldBolt } from '@tabler/icons-react';
import type { Rule } from '../../api/types.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import classes from '../publishing-endpoint/endpoint.module.css';
import { STOP_WORDS } from '../rules/rule-text.ts';

const count = (number: number, word: string): string => `${number.toLocaleString('en')} ${word}`;

export function RuleStats({ rule: { stats, enabled } }: { rule: Rule }) {
  const { matched, skipped, failed, stopped, last_run_at: last } = stats;
  return (
    <span className={classes.about}>
      {!enabled && <StateDot tone="idle">Disabled</StateDot>}
      {matched + skipped + stopped === 0 ? (
        <span>nothing happened yet that it is for</span>
      ) : (
        <>
          <span>
            {count(matched, matched === 1 ? 'run' : 'runs')}
            {last !== null && (
              <>
                , the last <RelativeTime at={last} />
              </>
            )}
          </span>
          {skipped > 0 && <span>{count(skipped, 'held back by the filter')}</span>}
          {failed > 0 && <StateDot tone="bad">{count(failed, 'failed')}</StateDot>}
          {stopped > 0 && <StateDot tone="warn">{count(stopped, 'stopped')}</StateDot>}
        </>
      )}
    </span>
  );
}

/** A stop of long ago is no news. */
const RECENT_MS = 24 * 60 * 60 * 1000;

export function LastStop({ rule }: { rule: Rule }) {
  const { last_stopped_as: as, last_stopped_at: at } = rule.stats;
  if (as === null || at === null || Date.parse(rule.updated_at) > Date.parse(at)) return null;
  // oxlint-disable-next-line react/purity -- a day more or less
  if (Date.now() - Date.parse(at) > RECENT_MS) return null;
  return (
    <Alert
      className={ui.notice}
      icon={<IconShieldBolt size={18} />}
      variant="light"
      color="yellow"
      title={`Stopped by ${STOP_WORDS[as].short}`}
      mb="sm"
    >
      <Text>
        {STOP_WORDS[as].long} The last time was <RelativeTime at={at} />.
      </Text>
    </Alert>
  );
}
