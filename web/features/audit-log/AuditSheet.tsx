/** Details of one entry of the audit log. */
import { Stack, Title } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { AuditEntry } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { Changes } from './Changes.tsx';
import { TargetName, typeName } from './TargetName.tsx';

export function AuditSheet({ entry }: { entry: AuditEntry }) {
  const { workspace } = useWorkspace();
  const readsRequests = useCan('audit:read');
  const { actor, target, changes, details } = entry;
  return (
    <Stack>
      <DescriptionList
        rows={[
          [t('Time'), <RelativeTime at={entry.created_at} />],
          [t('Actor'), actor.name ?? actor.type],
          actor.id ? [t('Actor ID'), <Id id={actor.id} />] : null,
          target.id
            ? [target.type ? typeName(target.type) : t('Object'), <TargetName entry={entry} link />]
            : null,
          target.id ? [t('Object ID'), <Id id={target.id} />] : null,
          [t('IP address'), <span className={ui.mono}>{entry.ip ?? '–'}</span>],
          entry.request_id
            ? [
                t('Request'),
                <span>
                  <Id id={entry.request_id} of={t('request ID')} />{' '}
                  {readsRequests && (
                    <TextLink
                      to="/w/$workspace/requests"
                      params={{ workspace: workspace.slug }}
                      search={{ id: entry.request_id }}
                    >
                      {t('View request')}
                    </TextLink>
                  )}
                </span>,
              ]
            : null,
        ]}
      />
      {changes && Object.keys(changes).length > 0 && (
        <section>
          <Title order={3} mb={6}>
            {t('Changes')}
          </Title>
          <Changes changes={changes} />
        </section>
      )}
      {Object.keys(details).length > 0 && (
        <section>
          <Title order={3} mb={6}>
            {t('Details')}
          </Title>
          <JsonView value={details} />
        </section>
      )}
      <AsCurl call={{ method: 'GET', path: `/audit-log/${entry.id}` }} />
    </Stack>
  );
}
