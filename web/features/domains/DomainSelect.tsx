/** Selects a verified domain, or the default domain. */
import { useQuery } from '@tanstack/react-query';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { LookupSelect, type LookupSelectProps } from '../../patterns/form/LookupSelect.tsx';
import { domainFilter } from '../../patterns/list/lookups.ts';

type DomainSelectProps = Omit<LookupSelectProps, 'options' | 'labelFor' | 'missing'>;

/** Renders nothing while there is no domain to choose. */
export function DomainSelect(props: DomainSelectProps) {
  const { workspace, defaultDomain } = useWorkspace();
  const { options } = domainFilter(workspace.id, defaultDomain);
  const { data: hosts = [] } = useQuery({ ...options(''), enabled: useCan('domains:read') });
  const isUseful = hosts.some(({ value }) => value !== defaultDomain);
  return isUseful ? <LookupSelect clearable {...props} options={options} /> : null;
}
