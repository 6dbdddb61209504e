/** The fields of an API key, to create and to edit one. */
import { Box, Checkbox, Group, Radio, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { scopesQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { ExpiryField } from './ExpiryField.tsx';
import { disablesCreated, type KeyForm } from './key-form.ts';
import { RestrictionFields } from './RestrictionFields.tsx';
import { presetName, PRESETS } from './scope-groups.ts';
import { ScopeGrid } from './ScopeGrid.tsx';
import classes from './api-keys.module.css';

/** The presets while their descriptions load: nothing moves when they arrive. */
const LOADING = PRESETS.map((id) => ({ id, description: t('Loading') }));

interface KeyFieldsProps {
  form: ApiForm<KeyForm>;
  /** The key to edit; null for a new one. */
  apiKey: ApiKey | null;
}

export function KeyFields({ form, apiKey }: KeyFieldsProps) {
  const { workspace, scopes: mine } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const { values, set, error } = form;
  return (
    <Stack gap="lg">
      <TextInput
        label={t('Name')}
        description={t("What you'll use this key for.")}
        placeholder={t('Shop backend')}
        required
        maxLength={100}
        data-autofocus
        {...form.text('name')}
      />
      <Box>
        <Group justify="space-between" mb={6}>
          <Text component="div" fw={500}>
            {t('Permissions')}
          </Text>
          <SegmentedControl
            size="xs"
            aria-label={t('Choose scopes by')}
            value={values.access}
            onChange={(access) => set('access', access)}
            data={[
              { value: 'preset', label: t('Preset') },
              { value: 'scopes', label: t('Custom scopes') },
            ]}
          />
        </Group>
        {values.access === 'preset' ? (
          <Radio.Group
            aria-label={t('Preset')}
            value={values.preset}
            onChange={(preset) => set('preset', preset)}
            error={error('preset') ?? error('scopes')}
          >
            <div className={classes.presets}>
              {(data?.presets ?? LOADING).map(({ id, description }) => (
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
        label={t('Disable created objects when this key expires or is revoked')}
        description={t(
          'Applies to webhooks, rules, publishing endpoints, inspectors, instances and API keys. Otherwise they keep running.',
        )}
        checked={disablesCreated(values, apiKey)}
        onChange={({ currentTarget }) => set('disable_created_on_end', currentTarget.checked)}
        error={error('disable_created_on_end')}
      />
      <MetadataField form={form} />
    </Stack>
  );
}
