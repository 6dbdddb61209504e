/** Totals of the range. */
import { Skeleton, Text } from '@mantine/core';
import type { ModelUsageTotals } from '../../api/types.ts';
import { formatNumber, plural, t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';
import classes from './model-usage.module.css';
import { formatCost, formatLatency, formatTokens } from './usage-text.ts';

interface Tile {
  label: string;
  value: (totals: ModelUsageTotals) => string;
  note: (totals: ModelUsageTotals) => string;
}

const joinNotes = (...notes: (string | false)[]): string => notes.filter(Boolean).join(' · ');

const TILES: Tile[] = [
  {
    label: t('Calls'),
    value: ({ calls }) => formatNumber(calls),
    note: ({ failures }) => plural(failures, { one: '{count} failed', other: '{count} failed' }),
  },
  {
    label: t('Cost'),
    value: formatCost,
    note: ({ unpriced_calls: count }) =>
      count === 0
        ? ''
        : plural(count, { one: '{count} call without a price', other: '{count} calls without a price' }),
  },
  {
    label: t('Input tokens'),
    value: ({ input_tokens: tokens }) => formatTokens(tokens),
    note: ({ cached_tokens: cached, cache_write_tokens: written }) =>
      joinNotes(
        cached > 0 && t('{tokens} cached', { tokens: formatTokens(cached) }),
        written > 0 && t('{tokens} written to the cache', { tokens: formatTokens(written) }),
      ),
  },
  {
    label: t('Output tokens'),
    value: ({ output_tokens: tokens }) => formatTokens(tokens),
    note: ({ reasoning_tokens: tokens }) =>
      tokens > 0 ? t('{tokens} reasoning', { tokens: formatTokens(tokens) }) : '',
  },
  {
    label: t('First byte (p50)'),
    value: ({ first_byte_p50_ms: ms }) => formatLatency(ms),
    note: ({ first_byte_p95_ms: ms }) => t('p95: {time}', { time: formatLatency(ms) }),
  },
];

export function UsageTotals({ totals }: { totals: ModelUsageTotals | undefined }) {
  const { audio_tokens: audio = 0, image_tokens: images = 0 } = totals ?? {};
  const media = joinNotes(
    audio > 0 && t('{tokens} audio', { tokens: formatTokens(audio) }),
    images > 0 && t('{tokens} images', { tokens: formatTokens(images) }),
  );
  return (
    <>
      <dl className={`${ui.tiles} ${classes.totals}`}>
        {TILES.map(({ label, value, note }) => (
          <div key={label} className={ui.tile}>
            <dt>{label}</dt>
            <dd>
              {totals ? value(totals) : <Skeleton h={20} w={60} my={4} />}
              {totals && <span className={classes.note}>{note(totals)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {media && (
        <Text size="xs" c="dimmed" mt={-8}>
          {t('Media tokens: {tokens}', { tokens: media })}
        </Text>
      )}
    </>
  );
}
