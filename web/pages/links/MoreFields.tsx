/** How a link redirects, and what you keep with it. */
import { ActionIcon, Button, Group, Input, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Form } from '../../ui/use-form.ts';
import { type LinkForm, newPair, type RedirectStatus } from './link-form.ts';

/** The server forbids caches whatever the status, so that every click is counted. */
const STATUSES = [
  { value: '302', label: '302 Found' },
  { value: '307', label: '307 Temporary redirect: the method stays' },
  { value: '301', label: '301 Moved permanently: search engines take the target' },
  { value: '308', label: '308 Permanent redirect: the same, and the method stays' },
];
const MAX_PAIRS = 50;

export function RedirectFields({ form }: { form: Form<LinkForm> }) {
  const { values, set } = form;
  return (
    <Stack gap="sm">
      <Switch
        label="Forward the query"
        description="What stands behind the ? of a visit is added to the target, where that has no such parameter itself"
        checked={values.forward_query}
        onChange={({ currentTarget }) => set('forward_query', currentTarget.checked)}
        error={form.error('forward_query')}
      />
      <NativeSelect
        label="Status"
        data={STATUSES}
        value={String(values.redirect_status)}
        onChange={({ currentTarget }) =>
          set('redirect_status', Number(currentTarget.value) as RedirectStatus)
        }
        error={form.error('redirect_status')}
      />
    </Stack>
  );
}

export function OwnFields({ form }: { form: Form<LinkForm> }) {
  return (
    <Stack gap="sm">
      <TextInput
        label="External id"
        description="Your own id of it, one of a kind in the workspace: an upsert finds the link by it"
        placeholder="campaign-42"
        spellCheck={false}
        maxLength={200}
        {...form.text('external_id')}
      />
      <MetadataField form={form} />
    </Stack>
  );
}

function MetadataField({ form }: { form: Form<LinkForm> }) {
  const pairs = form.values.metadata;
  const said = new Map(pairs.map(({ key, name }) => [key, form.at('metadata', name.trim())]));
  const ofNone = [...said.values()].every((text) => text === undefined);
  const change = (key: number, part: { name?: string; value?: string }) =>
    form.set(
      'metadata',
      pairs.map((one) => (one.key === key ? { ...one, ...part } : one)),
    );
  return (
    <Input.Wrapper
      label="Metadata"
      labelElement="div"
      description="Pairs of your own; they come with each event about the link"
      error={ofNone ? form.error('metadata') : undefined}
    >
      <Stack gap={6} mt={4}>
        {pairs.map(({ key, name, value }) => (
          <Group key={key} gap={6} wrap="nowrap" align="start">
            <TextInput
              flex={1}
              aria-label="Key"
              placeholder="team"
              maxLength={40}
              spellCheck={false}
              value={name}
              onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
            />
            <TextInput
              flex={1.4}
              aria-label={`Value of ${name || 'the key'}`}
              maxLength={500}
              value={value}
              onChange={({ currentTarget }) => change(key, { value: currentTarget.value })}
              error={said.get(key)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${name || 'the pair'}`}
              onClick={() =>
                form.set(
                  'metadata',
                  pairs.filter((one) => one.key !== key),
                )
              }
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
        {pairs.length < MAX_PAIRS && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => form.set('metadata', [...pairs, newPair()])}
            >
              Add a pair
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
