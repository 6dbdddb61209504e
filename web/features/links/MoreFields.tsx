/** Redirect settings and custom data of a link. */
import { NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { LinkForm, RedirectStatus } from './link-form.ts';

/** Responses are never cached, whatever the status, so that every click is counted. */
const STATUSES = [
  { value: '302', label: t('302 Found (default)') },
  { value: '307', label: t('307 Temporary Redirect (keeps the method)') },
  { value: '301', label: t('301 Moved Permanently (for search engines)') },
  { value: '308', label: t('308 Permanent Redirect (keeps the method)') },
];

/** "Temporary (302)" */
export const redirectNote = (status: RedirectStatus): string =>
  status === 302 || status === 307
    ? t('Temporary ({status})', { status })
    : t('Permanent ({status})', { status });

export function RedirectFields({ form }: { form: ApiForm<LinkForm> }) {
  const { values, set } = form;
  return (
    <Stack gap="sm">
      <Switch
        label={t('Forward query parameters')}
        description={t(
          'Adds the query parameters of a visit to the destination. Existing parameters are kept.',
        )}
        checked={values.forward_query}
        onChange={({ currentTarget }) => set('forward_query', currentTarget.checked)}
        error={form.error('forward_query')}
      />
      <NativeSelect
        label={t('Redirect status')}
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

export function CustomDataFields({ form }: { form: ApiForm<LinkForm> }) {
  return (
    <Stack gap="sm">
      <TextInput
        label={t('External ID')}
        description={t('Your own unique ID for this link. The API can create or update links by it.')}
        placeholder="campaign-42"
        spellCheck={false}
        maxLength={200}
        {...form.text('external_id')}
      />
      <MetadataField
        form={form}
        description={t("Key-value pairs. They're included in every event about this link.")}
      />
    </Stack>
  );
}
