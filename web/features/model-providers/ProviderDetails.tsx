/** The settings of a model provider, and the calls behind its page. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { modelProviderKindsQuery } from '../../api/model-providers.ts';
import type { ModelProvider } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { plural, t } from '../../copy/text.ts';
import { Chips } from '../../design/Chips.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';

export function ProviderDetails({ provider }: { provider: ModelProvider }) {
  const { workspace } = useWorkspace();
  const audit = useCan('audit:read');
  const { data: kinds } = useQuery(modelProviderKindsQuery(workspace.id));
  const { id, kind, models, max_concurrency: most } = provider;
  return (
    <Stack maw={760}>
      <DescriptionList
        rows={[
          [t('ID'), <Id id={id} />],
          [t('Kind'), kinds?.find((one) => one.id === kind)?.name ?? kind],
          [t('Slug'), <span className={ui.mono}>{provider.slug}</span>],
          [t('Base URL'), <span className={`${ui.mono} ${atoms.breaks}`}>{provider.base_url}</span>],
          [t('API key'), provider.has_api_key ? t('Stored') : t('None')],
          [t('Headers'), <Chips items={Object.keys(provider.headers)} none={t('None')} />],
          [
            t('Models'),
            models === null ? (
              t('All')
            ) : (
              <Chips
                items={models.map((model) => (model.alias ? `${model.id} → ${model.alias}` : model.id))}
                none={t('None')}
              />
            ),
          ],
          [
            t('Timeout'),
            plural(provider.timeout_seconds, { one: '{count} second', other: '{count} seconds' }),
          ],
          [
            t('Concurrency'),
            most === null
              ? t('Unlimited')
              : plural(most, { one: '{count} call at a time', other: '{count} calls at a time' }),
          ],
          [t('Models updated'), <RelativeTime at={provider.listed_at} none={t('Never')} />],
          [t('Created'), exactTime(provider.created_at)],
          provider.created_by === null ? null : [t('Created by'), <ObjectName id={provider.created_by} />],
        ]}
      />
      {Object.keys(provider.metadata).length > 0 && <JsonView value={provider.metadata} />}
      {audit && (
        <TextLink to="/w/$workspace/audit-log" params={{ workspace: workspace.slug }} search={{ target: id }}>
          {t('View audit log')}
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/model-providers/${id}` }} />
    </Stack>
  );
}
