/** A field that chooses one of the models that the workspace can call. */
import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/models.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';

interface ModelSelectProps extends Pick<
  SelectProps,
  'label' | 'aria-label' | 'error' | 'size' | 'placeholder' | 'clearable' | 'flex'
> {
  /** ID of a model, which may be gone; empty for none. */
  value: string;
  onChange: (model: string) => void;
  /** Leaves routes out. */
  withoutRoutes?: boolean;
}

/** Providers may list thousands of models. */
const MAX_SHOWN = 100;

export const isRoute = (model: string): boolean => model.startsWith('route/');

export function ModelSelect({ value, onChange, withoutRoutes = false, ...field }: ModelSelectProps) {
  const { workspace } = useWorkspace();
  const { data: models = [] } = useQuery(modelsQuery(workspace.id));
  const ids = models.map(({ id }) => id).filter((id) => !withoutRoutes || !isRoute(id));
  return (
    <Select
      placeholder={t('Select a model')}
      {...field}
      searchable
      allowDeselect={false}
      limit={MAX_SHOWN}
      nothingFoundMessage={t('No results')}
      data={value === '' || ids.includes(value) ? ids : [value, ...ids]}
      value={value === '' ? null : value}
      onChange={(model) => onChange(model ?? '')}
    />
  );
}
