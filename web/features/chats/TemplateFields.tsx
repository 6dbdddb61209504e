/** Selects one of the templates that the channel has approved, and asks for the values of its variables. */
import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { type MessageTemplate, templatesQuery } from '../../api/templates.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { ContentValues } from './content-form.ts';

interface TemplateFieldsProps {
  instanceId: string;
  values: ContentValues;
  error: (name: string) => string | undefined;
  onChange: (values: ContentValues) => void;
}

/** Names and languages contain no line break. */
const getKey = ({ name, language }: Pick<MessageTemplate, 'name' | 'language'>): string =>
  `${name}\n${language}`;

const countVariables = ({ components }: MessageTemplate): number =>
  components.reduce((sum, { variables }) => sum + variables, 0);

export function TemplateFields({ instanceId, values, error, onChange }: TemplateFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: templates = [], isPending } = useQuery(templatesQuery(workspace.id, instanceId));
  const { name = '', language = '', parameters = '' } = values;
  const chosen = templates.find((one) => getKey(one) === getKey({ name, language }));
  const given = parameters.split('\n');
  const setParameter = (nth: number, value: string): void => {
    const count = chosen ? countVariables(chosen) : 0;
    const next = Array.from({ length: count }, (_, index) => (index === nth ? value : (given[index] ?? '')));
    onChange({ ...values, parameters: next.join('\n') });
  };
  return (
    <Stack gap="sm">
      <Select
        label={t('Template')}
        placeholder={isPending ? t('Loading templates') : t('Select a template')}
        nothingFoundMessage={t('No approved templates')}
        data={templates.map((one) => ({ value: getKey(one), label: `${one.name} (${one.language})` }))}
        value={chosen ? getKey(chosen) : null}
        onChange={(key) => {
          const [template = '', own = ''] = (key ?? '').split('\n');
          onChange({ name: template, language: own, parameters: '' });
        }}
        error={error('name') ?? error('language')}
        searchable
        data-autofocus
      />
      {chosen && <Preview template={chosen} />}
      {chosen &&
        Array.from({ length: countVariables(chosen) }, (_, nth) => (
          <TextInput
            key={`${getKey(chosen)} ${nth}`}
            label={t('Variable {number}', { number: nth + 1 })}
            value={given[nth] ?? ''}
            error={nth === 0 ? error('parameters') : undefined}
            onChange={({ currentTarget }) => setParameter(nth, currentTarget.value)}
          />
        ))}
    </Stack>
  );
}

function Preview({ template }: { template: MessageTemplate }) {
  const texts = template.components.map(({ text }) => text).filter((text) => text !== null);
  return (
    <Text size="sm" c="dimmed" className={atoms.lines}>
      {texts.join('\n')}
    </Text>
  );
}
