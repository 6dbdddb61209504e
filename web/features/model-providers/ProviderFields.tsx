/** The fields of a model provider. */
import {
  Anchor,
  Checkbox,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import type { ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { plural, rich, t } from '../../copy/text.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { CountField } from '../../design/CountField.tsx';
import { RowsField } from '../../patterns/form/RowsField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { HeaderFields } from '../webhooks/HeaderFields.tsx';
import { AllowLine } from './AllowLine.tsx';
import classes from './model-providers.module.css';
import { changesOrigin, newModelRow, newPriceRow, type ProviderForm } from './provider-form.ts';

const PRICE = { inputMode: 'decimal', type: 'number', min: 0, step: 'any' } as const;

interface ProviderFieldsProps {
  form: ApiForm<ProviderForm>;
  kind: ModelProviderKind;
  /** The provider to edit; null for a new one. */
  provider: ModelProvider | null;
}

export function ProviderFields({ form, kind, provider }: ProviderFieldsProps) {
  const { values, set, error } = form;
  const isMoved = provider !== null && changesOrigin(values.base_url, provider);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('Name')}
          placeholder={kind.name}
          maxLength={100}
          data-autofocus
          {...form.text('name')}
        />
        <TextInput
          label={t('Slug')}
          placeholder={t('From the name')}
          spellCheck={false}
          autoCapitalize="none"
          maxLength={40}
          {...form.text('slug')}
        />
      </SimpleGrid>
      <TextInput
        label={t('Base URL')}
        description={t('The address before /chat/completions and /models.')}
        placeholder="https://models.example.com/v1"
        type="url"
        required
        spellCheck={false}
        maxLength={2048}
        {...form.text('base_url')}
      />
      <AllowLine text={error('base_url')} />
      <KeyField form={form} kind={kind} provider={provider} isMoved={isMoved} />
      <Accordion
        title={t('Headers')}
        note={
          values.headers.length === 0
            ? t('Sent with every call')
            : plural(values.headers.length, { one: '{count} header', other: '{count} headers' })
        }
        opened={values.headers.length > 0}
        faulty={error('headers') !== undefined || (isMoved && values.headers.length > 0)}
      >
        <HeaderFields form={form} originChanged={isMoved} />
      </Accordion>
      <Accordion
        title={t('Models and prices')}
        note={values.models === null ? t('All models') : t('Selected models')}
        opened={values.models !== null || values.prices.length > 0}
        faulty={(error('models') ?? error('prices')) !== undefined}
      >
        <Stack gap="md">
          <ModelsField form={form} />
          <PricesField form={form} />
        </Stack>
      </Accordion>
      <Accordion
        title={t('Limits')}
        note={t('Timeout, concurrency')}
        faulty={(error('timeout_seconds') ?? error('max_concurrency')) !== undefined}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <CountField
            label={t('Timeout (seconds)')}
            value={values.timeout_seconds}
            onChange={(seconds) => set('timeout_seconds', seconds)}
            error={error('timeout_seconds')}
          />
          <TextInput
            label={t('Concurrent calls')}
            placeholder={t('Unlimited')}
            inputMode="numeric"
            {...form.text('max_concurrency')}
          />
        </SimpleGrid>
      </Accordion>
    </Stack>
  );
}

function KeyField({ form, kind, provider, isMoved }: ProviderFieldsProps & { isMoved: boolean }) {
  const { values, set } = form;
  const isStored = provider?.has_api_key ?? false;
  const { error: refused, ...input } = form.text('api_key');
  const again = isStored && isMoved && values.api_key === '' && !values.removes_key;
  return (
    <div>
      <PasswordInput
        label={t('API key')}
        description={
          kind.api_keys_url === null
            ? t("Encrypted. You can't view it after saving.")
            : rich("Encrypted. You can't view it after saving. <a>Create a key</a>", {
                a: (words) => (
                  <Anchor href={kind.api_keys_url ?? ''} target="_blank" rel="noreferrer">
                    {words}
                  </Anchor>
                ),
              })
        }
        placeholder={isStored ? t('Stored. Leave blank to keep it.') : kind.needs_api_key ? '' : t('None')}
        required={kind.needs_api_key && !isStored}
        // Keeps the browser from filling in or saving the password of this site.
        autoComplete="new-password"
        maxLength={2000}
        disabled={values.removes_key}
        {...input}
        error={refused ?? (again && t('The URL points to a different server. Enter the API key again.'))}
      />
      {isStored && (
        <Checkbox
          mt="xs"
          size="xs"
          label={t('Remove the stored key')}
          checked={values.removes_key}
          onChange={({ currentTarget }) => set('removes_key', currentTarget.checked)}
        />
      )}
    </div>
  );
}

function ModelsField({ form }: { form: ApiForm<ProviderForm> }) {
  const { models } = form.values;
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        mr="auto"
        aria-label={t('Models')}
        value={models === null ? 'all' : 'some'}
        onChange={(which) => form.set('models', which === 'all' ? null : [newModelRow()])}
        data={[
          { value: 'all', label: t('All models') },
          { value: 'some', label: t('Selected models') },
        ]}
      />
      {models !== null && (
        <RowsField
          label={t('Models')}
          description={t('With an alias, the ID of the model is slug/alias.')}
          rows={models}
          onChange={(rows) => form.set('models', rows)}
          namedBy="id"
          fields={() => [
            { name: 'id', label: t('Model'), placeholder: 'gpt-5', grow: 2 },
            { name: 'alias', label: t('Alias') },
          ]}
          create={newModelRow}
          add={t('Add model')}
          errorAt={(index, name) => form.at('models', String(index), name)}
          error={form.error('models')}
        />
      )}
    </Stack>
  );
}

/** The heading of a column: placeholders are gone once the fields are filled. */
const head = (index: number, text: string) => ({
  placeholder: text,
  ...(index === 0 && { description: text }),
});

function PricesField({ form }: { form: ApiForm<ProviderForm> }) {
  const { prices } = form.values;
  return (
    <div className={classes.prices}>
      <RowsField
        label={t('Prices')}
        description={t('USD per million tokens. They replace prices that the provider lists.')}
        rows={prices}
        onChange={(rows) => form.set('prices', rows)}
        namedBy="model"
        fields={(_row, _name, index) => [
          { name: 'model', label: t('Model'), ...head(index, t('Model')), placeholder: 'gpt-5', grow: 2 },
          { name: 'input', label: t('Input'), ...head(index, t('Input')), ...PRICE },
          { name: 'output', label: t('Output'), ...head(index, t('Output')), ...PRICE },
          { name: 'cached_input', label: t('Cached input'), ...head(index, t('Cached')), ...PRICE },
        ]}
        create={newPriceRow}
        add={t('Add price')}
        errorAt={(index, name) => form.at('prices', prices[index]?.model.trim() ?? '', name)}
        error={form.error('prices')}
      />
    </div>
  );
}
