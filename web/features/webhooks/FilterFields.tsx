/** Limits a webhook to the events of one instance, link, or tag. */
import { SimpleGrid } from '@mantine/core';
import { linkNameQuery, linkOptionsQuery } from '../../api/links.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { LookupSelect } from '../../patterns/form/LookupSelect.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { tagFilter } from '../../patterns/list/lookups.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import type { WebhookForm } from './webhook-form.ts';

export function FilterFields({ form }: { form: ApiForm<WebhookForm> }) {
  const { workspace } = useWorkspace();
  const { filters } = form.values;
  const field = (name: keyof typeof filters) => ({
    clearable: true,
    value: filters[name],
    onChange: (value: string) => form.set('filters', { ...filters, [name]: value }),
    error: form.at('filters', name),
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <InstanceSelect label={t('Instance')} placeholder={t('Any instance')} {...field('instance_id')} />
      <LookupSelect
        label={t('Link')}
        placeholder={t('Any link')}
        missing={t('Deleted link')}
        options={(search) => linkOptionsQuery(workspace.id, search)}
        labelFor={(id) => linkNameQuery(workspace.id, id)}
        {...field('link_id')}
      />
      <LookupSelect
        label={t('Link tag')}
        placeholder={t('Any tag')}
        options={tagFilter(workspace.id, false).options}
        {...field('tag')}
      />
    </SimpleGrid>
  );
}
