/** Other targets for some visitors. The first rule that fits decides, so their order can be changed. */
import { ActionIcon, Button, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import type { Form } from '../../ui/use-form.ts';
import { type LinkForm, newRule, type RuleForm } from './link-form.ts';
import { DEVICE_NAMES, OS_NAMES } from './link-text.ts';
import classes from './links.module.css';
import { type Named, places } from './places.ts';

const MAX_RULES = 50;

/** What is chosen stands in the list too, whatever it is. */
const withChosen = (known: readonly Named[], chosen: readonly string[]): Named[] => [
  ...known,
  ...chosen
    .filter((value) => !known.some((one) => one.value === value))
    .map((value) => ({ value, label: value })),
];

const choices = (names: Record<string, string>): Named[] =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
const DEVICES = choices(DEVICE_NAMES);
const SYSTEMS = choices(OS_NAMES);

export function TargetingFields({ form }: { form: Form<LinkForm> }) {
  const rules = form.values.targeting;
  const set = (changed: RuleForm[]) => form.set('targeting', changed);
  const move = (at: number, by: number) => {
    const moved = [...rules];
    const [rule] = moved.splice(at, 1);
    if (rule) moved.splice(at + by, 0, rule);
    set(moved);
  };
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        The first rule that fits decides; whom none fits goes to the target above. A rule fits where each of
        its conditions does.
      </Text>
      {rules.length > 0 && (
        <ol className={classes.rules} aria-label="Rules">
          {rules.map((rule, at) => (
            <li key={rule.key} aria-label={`Rule ${at + 1}`}>
              <Group gap={2} justify="space-between" wrap="nowrap">
                <Text fw={500}>{`Rule ${at + 1}`}</Text>
                <Group gap={2} wrap="nowrap">
                  <RuleButton
                    label={`Move rule ${at + 1} up`}
                    icon={IconArrowUp}
                    disabled={at === 0}
                    onClick={() => move(at, -1)}
                  />
                  <RuleButton
                    label={`Move rule ${at + 1} down`}
                    icon={IconArrowDown}
                    disabled={at === rules.length - 1}
                    onClick={() => move(at, 1)}
                  />
                  <RuleButton
                    label={`Remove rule ${at + 1}`}
                    icon={IconX}
                    onClick={() => set(rules.filter((one) => one !== rule))}
                  />
                </Group>
              </Group>
              <Conditions
                form={form}
                rule={rule}
                at={at}
                onChange={(part) => set(rules.map((one) => (one === rule ? { ...rule, ...part } : one)))}
              />
            </li>
          ))}
        </ol>
      )}
      {form.at('targeting') !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {form.at('targeting')}
        </Text>
      )}
      {rules.length < MAX_RULES && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => set([...rules, newRule()])}
          >
            Add a rule
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface RuleButtonProps {
  label: string;
  icon: typeof IconX;
  disabled?: boolean;
  onClick: () => void;
}

function RuleButton({ label, icon: Icon, ...rest }: RuleButtonProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} data-tip={label} {...rest}>
      <Icon size={15} />
    </ActionIcon>
  );
}

interface ConditionsProps {
  form: Form<LinkForm>;
  rule: RuleForm;
  /** Its place among the rules, by which faults point to it. */
  at: number;
  onChange: (part: Partial<RuleForm>) => void;
}

const CONDITIONS = ['country', 'language', 'device', 'os'] as const;
type Condition = (typeof CONDITIONS)[number];

function Conditions({ form, rule, at, onChange }: ConditionsProps) {
  const { countries, languages } = places();
  const isEmpty = CONDITIONS.every((name) => rule[name].length === 0);
  const field = (name: Condition, label: string, known: readonly Named[]) => (
    <MultiSelect
      label={label}
      placeholder={rule[name].length === 0 ? 'any' : ''}
      data={withChosen(known, rule[name])}
      searchable
      clearable
      hidePickedOptions
      value={rule[name]}
      onChange={(chosen) => onChange({ [name]: chosen })}
      error={form.at('targeting', String(at), 'when', name)}
    />
  );
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {field('country', 'Country', countries)}
        {field('language', 'Language', languages)}
        {field('device', 'Device', DEVICES)}
        {field('os', 'System', SYSTEMS)}
      </SimpleGrid>
      <TextInput
        label="Leads to"
        placeholder="https://"
        spellCheck={false}
        value={rule.url}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
        required
        withAsterisk={false}
        error={form.at('targeting', String(at), 'url')}
      />
      {isEmpty && form.at('targeting', String(at), 'when') !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          Choose one condition at least
        </Text>
      )}
    </Stack>
  );
}
