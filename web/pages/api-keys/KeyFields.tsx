/** The fields of a key, for making one and for changing it. */
import { Box, Checkbox, Group, Radio, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scopesQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import type { Form } from '../../ui/use-form.ts';
import { ExpiryField } from './ExpiryField.tsx';
import { disablesCreated, type KeyForm } from './key-form.ts';
import { RestrictionFields } from './RestrictionFields.tsx';
import { ScopeGrid } from './ScopeGrid.tsx';
import classes from './api-keys.module.css';

/** "Read only" for `read_only`. */
const presetName = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('_', ' ');

interface KeyFieldsProps {
  form: Form<KeyForm>;
  /** The key as it is; null for a new one. */
  apiKey: ApiKey | null;
}

export function KeyFields({ form, apiKey }: KeyFieldsProps) {
  const { workspace, scopes: mine } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const { values, set, error } = form;
  return (
    <Stack gap="lg">
      <TextInput
        label="Name"
        description="Where the key is used, so that you know later."
        placeholder="Shop backend"
        required
        maxLength={100}
        data-autofocus
        {...form.text('name')}
      />
      <Box>
        <Group justify="space-between" mb={6}>
          <Text component="div" fw={500}>
            What it may do
          </Text>
          <SegmentedControl
            size="xs"
            aria-label="How to pick scopes"
            value={values.access}
            onChange={(access) => set('access', access)}
            data={[
              { value: 'preset', label: 'Preset' },
              { value: 'scopes', label: 'Scopes by resource' },
            ]}
          />
        </Group>
        {values.access === 'preset' ? (
          <Radio.Group
            aria-label="Preset"
            value={values.preset}
            onChange={(preset) => set('preset', preset)}
            error={error('preset') ?? error('scopes')}
          >
            <div className={classes.presets}>
              {data?.presets.map(({ id, description }) => (
                <Radio.Card key={id} value={id} className={classes.preset}>
                  <Radio.Indicator size="xs" />
                  <div>
                    <Text fw={500}>{presetName(id)}</Text>
                    <Text size="xs" c="dimmed">
                      {description}
                    </Text>
                  </div>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
        ) : (
          <ScopeGrid
            scopes={data?.data ?? []}
            mine={mine}
            value={values.scopes}
            onChange={(scopes) => set('scopes', scopes)}
            error={error('scopes')}
          />
        )}
      </Box>
      <ExpiryField
        value={values.expires_at}
        onChange={(expiry) => set('expires_at', expiry)}
        error={error('expires_at')}
      />
      <RestrictionFields form={form} />
      <Checkbox
        label="When the key is revoked or expires, disable what it created"
        description="Webhooks, rules, publishing endpoints, inspectors, instances and API keys. Otherwise they stay: they belong to the workspace."
        checked={disablesCreated(values, apiKey)}
        onChange={({ currentTarget }) => set('disable_created_on_end', currentTarget.checked)}
        error={error('disable_created_on_end')}
      />
    </Stack>
  );
}
