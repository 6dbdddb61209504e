/** Creates or edits a budget. */
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { apiKeyNameQuery, apiKeyOptionsQuery } from '../../api/api-keys.ts';
import { createBudget, updateBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ChoiceField } from '../../patterns/form/ChoiceField.tsx';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { LookupSelect } from '../../patterns/form/LookupSelect.tsx';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { EditForm } from '../../patterns/form/use-edit-form.ts';
import { toBody, type BudgetForm, toBudgetForm, toChange } from './budget-form.ts';
import { RESERVATION_LABELS, UNIT_OPTIONS, WINDOW_LABELS } from './budget-text.ts';
import classes from './budgets.module.css';

export const BudgetDialog = (props: ObjectDialogProps<Budget>) => (
  <EditDialog
    {...props}
    create={t('Create budget')}
    edit={({ name }) => t('Edit {name}', { name })}
    fill={toBudgetForm}
    call={(form, budget) =>
      budget ? updateBudget(budget.id, toChange(form, budget)) : createBudget(toBody(form))
    }
  >
    {(form) => <Fields form={form} />}
  </EditDialog>
);

function Fields({ form }: { form: EditForm<BudgetForm, Budget | null> }) {
  const { workspace } = useWorkspace();
  const { values, set, base } = form;
  const { unit, amount } = values.limit;
  return (
    <>
      <TextInput
        label={t('Name')}
        placeholder={t('Support bot')}
        maxLength={100}
        data-autofocus
        {...form.text('name')}
      />
      {!base && <ScopeFields form={form} />}
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
          disabled={base !== null}
          data={UNIT_OPTIONS}
          value={unit}
          onChange={({ currentTarget: { value } }) =>
            set('limit', { unit: UNIT_OPTIONS.find((one) => one.value === value)!.value, amount })
          }
        />
      </div>
      {base ? (
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
    </>
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
