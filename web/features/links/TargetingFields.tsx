/** Targeting rules. The first matching rule wins, so they can be reordered. */
import { ActionIcon, Button, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { type LinkForm, newRule, type RuleForm } from './link-form.ts';
import { DEVICE_NAMES, OS_NAMES } from '../analytics/platforms.ts';
import classes from './links.module.css';
import { type Named, places } from '../analytics/places.ts';

const MAX_RULES = 50;

/** Adds the selected values that the list doesn't know. */
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

export function TargetingFields({ form }: { form: ApiForm<LinkForm> }) {
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
        {t(
          'The first matching rule wins. Everyone else goes to the destination above. A rule matches if all its conditions match.',
        )}
      </Text>
      {rules.length > 0 && (
        <ol className={classes.rules} aria-label={t('Rules')}>
          {rules.map((rule, at) => (
            <li key={rule.key} aria-label={t('Rule {at}', { at: at + 1 })}>
              <Group gap={2} justify="space-between" wrap="nowrap">
                <Text fw={500}>{t('Rule {at}', { at: at + 1 })}</Text>
                <Group gap={2} wrap="nowrap">
                  <RuleButton
                    label={t('Move rule {at} up', { at: at + 1 })}
                    icon={IconArrowUp}
                    disabled={at === 0}
                    onClick={() => move(at, -1)}
                  />
                  <RuleButton
                    label={t('Move rule {at} down', { at: at + 1 })}
                    icon={IconArrowDown}
                    disabled={at === rules.length - 1}
                    onClick={() => move(at, 1)}
                  />
                  <RuleButton
                    label={t('Remove rule {at}', { at: at + 1 })}
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
            {t('Add rule')}
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
  form: ApiForm<LinkForm>;
  rule: RuleForm;
  /** Index of the rule, which errors refer to. */
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
      placeholder={rule[name].length === 0 ? t('Any') : ''}
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
        {field('country', t('Country'), countries)}
        {field('language', t('Language'), languages)}
        {field('device', t('Device'), DEVICES)}
        {field('os', t('Operating system'), SYSTEMS)}
      </SimpleGrid>
      <TextInput
        label={t('Destination URL')}
        placeholder="https://"
        spellCheck={false}
        value={rule.url}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
        required
        error={form.at('targeting', String(at), 'url')}
      />
      {isEmpty && form.at('targeting', String(at), 'when') !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {t('Choose at least one condition.')}
        </Text>
      )}
    </Stack>
  );
}
