/** Creates or edits a model route. */
import { ActionIcon, Button, Checkbox, Input, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { createModelRoute, updateModelRoute } from '../../api/model-routes.ts';
import type { ModelRoute } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { EditForm } from '../../patterns/form/use-edit-form.ts';
import { ModelSelect } from '../models/ModelSelect.tsx';
import classes from './model-routes.module.css';
import {
  type AttemptRow,
  toBody,
  toChange,
  MAX_ATTEMPTS,
  moved,
  newAttempt,
  type RouteForm,
  toRouteForm,
} from './route-form.ts';

export const RouteDialog = (props: ObjectDialogProps<ModelRoute>) => (
  <EditDialog
    {...props}
    create={t('Create route')}
    title={t('Create model route')}
    edit={({ model }) => t('Edit {name}', { name: model })}
    size={640}
    fill={toRouteForm}
    call={(form, route) =>
      route ? updateModelRoute(route.id, toChange(form, route)) : createModelRoute(toBody(form))
    }
  >
    {(form) => <Fields form={form} />}
  </EditDialog>
);

function Fields({ form }: { form: EditForm<RouteForm, ModelRoute | null> }) {
  return (
    <>
      <TextInput
        label={t('Name')}
        description={
          form.base
            ? t('Changing it changes the model ID that your programs call.')
            : t(
                'Lowercase letters, digits, dots, underscores and hyphens. Your programs call it as route/{name}.',
                { name: form.values.name.trim() || t('your-name') },
              )
        }
        placeholder="default"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={60}
        data-autofocus
        {...form.text('name')}
      />
      <Attempts form={form} />
      <Checkbox
        label={t('Also try the next model if the input is too long')}
        description={t(
          "For input that exceeds a model's context length. Put a model with a longer context after it.",
        )}
        checked={form.values.on.includes('context_length')}
        onChange={({ currentTarget }) => form.set('on', currentTarget.checked ? ['context_length'] : [])}
      />
      <MetadataField form={form} />
    </>
  );
}

function Attempts({ form }: { form: ApiForm<RouteForm> }) {
  const rows = form.values.attempts;
  const set = (attempts: AttemptRow[]) => form.set('attempts', attempts);
  const change = (key: number, part: Partial<AttemptRow>) =>
    set(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const errorAt = (index: number, name: keyof AttemptRow) => form.at('attempts', String(index), name);
  const hasOwn = rows.some((_, index) => errorAt(index, 'model') ?? errorAt(index, 'timeout_seconds'));
  return (
    <Input.Wrapper
      label={t('Attempts')}
      labelElement="div"
      description={t(
        'Tried in this order until one responds. The next one is tried after a refused connection, a timeout, 402, 408, 429, 5xx, or an empty response.',
      )}
      error={hasOwn ? undefined : form.error('attempts')}
    >
      <ol className={classes.attempts}>
        {rows.map(({ key, model, timeout_seconds: seconds }, index) => (
          <li key={key} className={classes.attempt}>
            <ModelSelect
              aria-label={t('Model {number}', { number: index + 1 })}
              withoutRoutes
              value={model}
              onChange={(chosen) => change(key, { model: chosen })}
              error={errorAt(index, 'model')}
            />
            <TextInput
              aria-label={t('Timeout of model {number} in seconds', { number: index + 1 })}
              placeholder={t('Timeout (s)')}
              inputMode="numeric"
              value={seconds}
              onChange={({ currentTarget }) =>
                change(key, { timeout_seconds: currentTarget.value.replace(/\D/g, '') })
              }
              error={errorAt(index, 'timeout_seconds')}
            />
            <span className={classes.moves}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Move model {number} up', { number: index + 1 })}
                disabled={index === 0}
                onClick={() => set(moved(rows, index, -1))}
              >
                <IconArrowUp size={15} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Move model {number} down', { number: index + 1 })}
                disabled={index === rows.length - 1}
                onClick={() => set(moved(rows, index, 1))}
              >
                <IconArrowDown size={15} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Remove model {number}', { number: index + 1 })}
                disabled={rows.length === 1}
                onClick={() => set(rows.toSpliced(index, 1))}
              >
                <IconX size={15} />
              </ActionIcon>
            </span>
          </li>
        ))}
      </ol>
      {rows.length < MAX_ATTEMPTS && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => set([...rows, newAttempt()])}
        >
          {t('Add attempt')}
        </Button>
      )}
    </Input.Wrapper>
  );
}
