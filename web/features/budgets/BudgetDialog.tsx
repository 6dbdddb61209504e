/** Creates or edits a budget. */
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { apiKeyNameQuery, apiKeyOptionsQuery } from '../../api/api-keys.ts';
import { createBudget, updateBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ChoiceField } from '../../patterns/form/ChoiceField.tsx';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { LookupSelect } from '../../patterns/form/LookupSelect.tsx';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { toBody, type BudgetForm, toBudgetForm, toChange } from './budget-form.ts';
import { RESERVATION_LABELS, UNIT_OPTIONS, WINDOW_LABELS } from './budget-text.ts';
import classes from './budgets.module.css';

interface BudgetDialogProps {
  opened: boolean;
  /** Null creates one. */
  budget: Budget | null;
  onClose: () => void;
  onDone: (budget: Budget) => void;
}

export function BudgetDialog({ opened, budget, onClose, onDone }: BudgetDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={budget ? t('Edit {name}', { name: budget.name }) : t('Create budget')}
    >
      <BudgetDialogForm budget={budget} onDone={onDone} />
    </FormDialog>
  );
}

function BudgetDialogForm({ budget, onDone }: Pick<BudgetDialogProps, 'budget' | 'onDone'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: budget,
    path: '/budgets',
    fill: toBudgetForm,
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateBudget(workspace.id, base.id, toChange(values, base), version)
        : createBudget(workspace.id, toBody(values)),
    done: onDone,
  });
  const { values, set, base } = form;
  const { unit, amount } = values.limit;
  return (
    <FormBody
      form={form}
      submit={budget ? t('Save') : t('Create budget')}
      call={
        base
          ? { method: 'PATCH', path: `/budgets/${base.id}`, body: toChange(values, base) }
          : { method: 'POST', path: '/budgets', body: toBody(values) }
      }
    >
      <TextInput
        label={t('Name')}
        placeholder={t('Support bot')}
        maxLength={100}
        data-autofocus
        {...form.text('name')}
      />
      {!budget && <ScopeFields form={form} />}
      <div className={classes.pair}>
        <TextInput
          label={t('Limit')}
          type="number"
          inputMode="decimal"
          min={0}
          step="any"
          required
          {...(unit === 'usd' && { leftSection: '$' })}
          value={Number.isNaN(amount) ? '' : amount}
          onChange={({ currentTarget }) => set('limit', { unit, amount: currentTarget.valueAsNumber })}
          error={form.error('limit')}
        />
        <NativeSelect
          label={t('Unit')}
          disabled={budget !== null}
          data={UNIT_OPTIONS}
          value={unit}
          onChange={({ currentTarget: { value } }) =>
            set('limit', { unit: UNIT_OPTIONS.find((one) => one.value === value)!.value, amount })
          }
        />
      </div>
      {budget ? (
        <Text size="xs" c="dimmed">
          {t('To change the unit, the window or the API key, create another budget.')}
        </Text>
      ) : (
        <ChoiceField
          label={t('Window')}
          description={t(
            'Daily budgets reset at midnight and monthly budgets on the first of the month, in the time zone of the workspace ({zone}).',
            {
              zone: workspace.time_zone,
            },
          )}
          value={values.window}
          onChange={(window) => set('window', window)}
          data={(['day', 'month', 'total'] as const).map((value) => ({
            value,
            label: WINDOW_LABELS[value],
          }))}
        />
      )}
      {unit !== 'calls' && (
        <ChoiceField
          label={t('Reserve for each call')}
          description={
            values.reservation === 'typical'
              ? t(
                  'As much as recent similar calls of the same key used. Calls in progress can exceed the budget together.',
                )
              : t("The most that the call can use. Calls in progress don't exceed the budget together.")
          }
          value={values.reservation}
          onChange={(reservation) => set('reservation', reservation)}
          data={(['worst_case', 'typical'] as const).map((value) => ({
            value,
            label: RESERVATION_LABELS[value],
          }))}
        />
      )}
      <MetadataField form={form} />
    </FormBody>
  );
}

function ScopeFields({ form }: { form: ApiForm<BudgetForm> }) {
  const { workspace } = useWorkspace();
  const { values, set, error } = form;
  return (
    <Stack gap="xs">
      <ChoiceField
        label={t('Applies to')}
        value={values.scope}
        onChange={(scope) => set('scope', scope)}
        data={[
          { value: 'workspace', label: t('All calls of the workspace') },
          { value: 'key', label: t('One API key') },
        ]}
      />
      {values.scope === 'key' && (
        <LookupSelect
          label={t('API key')}
          description={t('Calls of keys that it created count too.')}
          options={(search) => apiKeyOptionsQuery(workspace.id, search)}
          labelFor={(id) => apiKeyNameQuery(workspace.id, id)}
          missing={t('Deleted key')}
          value={values.api_key_id}
          onChange={(id) => set('api_key_id', id)}
          error={error('api_key_id')}
        />
      )}
    </Stack>
  );
}
