/** Whether a rate is limited, and to what: a token bucket. */
import { Group, Switch } from '@mantine/core';
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
        label="Limit the rate"
        description={description}
        checked={value.limited}
        onChange={({ currentTarget }) => onChange({ ...value, limited: currentTarget.checked })}
        error={error}
      />
      {value.limited && (
        <Group grow preventGrowOverflow={false} maw={360}>
          <CountField
            label="Requests a minute"
            value={value.limit}
            onChange={(limit) => onChange({ ...value, limit })}
          />
          <CountField
            label="At once"
            value={value.burst}
            onChange={(burst) => onChange({ ...value, burst })}
          />
        </Group>
      )}
    </>
  );
}
