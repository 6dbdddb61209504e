/** A field that chooses several of the models that the workspace can call, or all models of a provider. */
import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/models.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { isRoute } from './ModelSelect.tsx';

interface ModelsFieldProps {
  label: string;
  description: string;
  /** IDs of models, some of which may no longer exist, and `provider/*`. */
  value: readonly string[];
  onChange: (models: string[]) => void;
  error?: string | undefined;
}

/** Providers may list thousands of models. */
const MAX_SHOWN = 100;

export function ModelsField({ label, description, value, onChange, error }: ModelsFieldProps) {
  const { workspace } = useWorkspace();
  const { data: models = [] } = useQuery({
    ...modelsQuery(workspace.id),
    enabled: useCan('models:read'),
  });
  const ids = models.map(({ id }) => id);
  const providers = ids.filter((id) => !isRoute(id)).map((id) => `${id.split('/')[0] ?? id}/*`);
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={value.length === 0 ? t('All models') : ''}
      searchable
      clearable
      limit={MAX_SHOWN}
      nothingFoundMessage={t('No results')}
      data={[...new Set([...value, ...providers, ...ids])]}
      value={[...value]}
      onChange={onChange}
      error={error}
    />
  );
}
