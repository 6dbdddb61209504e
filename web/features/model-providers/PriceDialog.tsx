/** Sets the price of one model of a provider, or goes back to the price that the provider lists. */
import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { get, send, sendTagged } from '../../api/call.ts';
import { refreshModelProviders, updateModelProvider } from '../../api/model-providers.ts';
import type { ListedModel, ModelProvider } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { NO_PRICE, type PriceTexts, priceTexts, toPrice } from './provider-form.ts';

interface PriceDialogProps {
  opened: boolean;
  provider: ModelProvider;
  model: ListedModel;
  onClose: () => void;
}

interface PriceForm extends PriceTexts {
  /** Named as the body's property, for its errors. */
  prices: 'set' | 'unset';
}

const FIELDS = [
  { name: 'input', label: t('Input') },
  { name: 'output', label: t('Output') },
  { name: 'cached_input', label: t('Cached input') },
  { name: 'cache_write', label: t('Cache write') },
  { name: 'cache_write_1h', label: t('Cache write, 1 h') },
  { name: 'request', label: t('Each call') },
  { name: 'search', label: t('Each search') },
] as const;

export function PriceDialog({ opened, onClose, ...rest }: PriceDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Price of {model}', { model: rest.model.id })}>
      <PriceFormBody {...rest} onClose={onClose} />
    </FormDialog>
  );
}

function PriceFormBody({ provider, model, onClose }: Omit<PriceDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const own = provider.prices[model.id];
  const toBody = ({ prices, ...texts }: PriceForm, { prices: all }: ModelProvider) => {
    const { [model.id]: _replaced, ...others } = all;
    return { prices: prices === 'set' ? { ...others, [model.id]: toPrice(texts) } : others };
  };
  const form = useApiForm<PriceForm, ModelProvider>(
    {
      prices: 'set',
      ...(model.pricing ? priceTexts(model.pricing) : NO_PRICE),
    },
    async (values) => {
      // The other models keep their current prices.
      const { object, version } = await sendTagged(
        workspace.id,
        get('/model-providers/{id}', { path: { id: provider.id } }),
      );
      return send(workspace.id, updateModelProvider(provider.id, toBody(values, object)), { version });
    },
    () => {
      void refreshModelProviders(client, workspace.id);
      notifyDone(t('Price saved'));
      onClose();
    },
  );
  return (
    <FormBody
      form={form}
      submit={t('Save')}
      call={updateModelProvider(provider.id, toBody(form.values, provider))}
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {FIELDS.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            leftSection="$"
            disabled={form.values.prices === 'unset'}
            data-autofocus={name === 'input' || undefined}
            {...form.text(name)}
            error={form.at('prices', model.id, name)}
          />
        ))}
      </SimpleGrid>
      {own && (
        <Button
          variant="default"
          size="xs"
          mr="auto"
          onClick={() => form.set('prices', form.values.prices === 'set' ? 'unset' : 'set')}
        >
          {form.values.prices === 'set' ? t('Use the price that the provider lists') : t('Enter a price')}
        </Button>
      )}
    </FormBody>
  );
}
