/** Fields for a rate limit: whether there is one, and its token bucket. */
import { Group, Switch } from '@mantine/core';
import { t } from '../copy/text.ts';
import { CountField } from './CountField.tsx';

export interface RateChoice {
  limited: boolean;
  limit: number;
  burst: number;
}

interface RateFieldsProps {
  value: RateChoice;
  onChange: (value: RateChoice) => void;
  error?: string;
  description?: string;
}

export function RateFields({ value, onChange, error, description }: RateFieldsProps) {
  return (
    <>
      <Switch
        label={t('Rate limit')}
        description={description}
        checked={value.limited}
        onChange={({ currentTarget }) => onChange({ ...value, limited: currentTarget.checked })}
        error={error}
      />
      {value.limited && (
        <Group grow preventGrowOverflow={false} maw={360}>
          <CountField
            label={t('Requests per minute')}
            value={value.limit}
            onChange={(limit) => onChange({ ...value, limit })}
          />
          <CountField
            label={t('Burst')}
            value={value.burst}
            onChange={(burst) => onChange({ ...value, burst })}
          />
        </Group>
      )}
    </>
  );
}
