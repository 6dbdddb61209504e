/** A labeled choice among few options, all of them in view. */
import { Group, Input, SegmentedControl } from '@mantine/core';

interface ChoiceFieldProps<Value extends string> {
  label: string;
  description?: React.ReactNode;
  error?: string | undefined;
  data: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  /** Shown next to the options. */
  children?: React.ReactNode;
}

export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { label, description, error, data, value, onChange, children } = props;
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error}>
      <Group gap="xs" mt={6}>
        <SegmentedControl size="xs" aria-label={label} data={[...data]} value={value} onChange={onChange} />
        {children}
      </Group>
    </Input.Wrapper>
  );
}
