/** The object that an entry of the audit log is about. */
import type { AuditEntry } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { objectLink } from '../../api/nouns.ts';
import { t } from '../../copy/text.ts';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';

/** Types of objects that the log has entries of, with their names. */
const TYPE_NAMES: Record<string, string> = {
  api_key: t('API key'),
  budget: t('Budget'),
  chat: t('Chat'),
  contact: t('Contact'),
  delivery: t('Delivery'),
  domain: t('Domain'),
  group: t('Group'),
  inspector: t('Inspector'),
  instance: t('Instance'),
  invitation: t('Invitation'),
  job: t('Job'),
  link: t('Link'),
  media: t('Media'),
  member: t('Member'),
  message: t('Message'),
  model_provider: t('Model provider'),
  model_route: t('Model route'),
  publication: t('Publication'),
  publishing_endpoint: t('Publishing endpoint'),
  rule: t('Rule'),
  rule_run: t('Rule run'),
  tag: t('Tag'),
  webhook: t('Webhook'),
  workspace: t('Workspace'),
};

export const TYPE_OPTIONS = Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }));

export const typeName = (type: string): string => TYPE_NAMES[type] ?? type;

interface TargetNameProps {
  entry: AuditEntry;
  /** Leads to the object, unless the entry says that it was deleted. */
  link?: boolean;
}

export function TargetName({ entry: { action, target }, link = false }: TargetNameProps) {
  const { workspace } = useWorkspace();
  if (target.id === null) return '–';
  const to = link && !action.endsWith('.delete') ? objectLink(workspace.slug, target.id) : null;
  const name = target.name ?? <Id id={target.id} short />;
  return to ? <TextLink {...(to as { to: '.' })}>{target.name ?? t('View object')}</TextLink> : name;
}
