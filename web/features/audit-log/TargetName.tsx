/** The object that an entry of the audit log is about. */
import type { AuditEntry } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { NOUNS, objectLink } from '../../api/nouns.ts';
import { t } from '../../copy/text.ts';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';

/** Objects of these types are never changed. */
const WITHOUT_ENTRIES: ReadonlySet<string> = new Set(['audit_entry', 'event', 'model_call', 'request']);

/** Types of objects that the log has entries of, with their names. */
const TYPE_NAMES = new Map([
  ...NOUNS.filter(({ type }) => !WITHOUT_ENTRIES.has(type)).map(({ type, one }) => [type, one] as const),
  ['job', t('Job')],
  ['workspace', t('Workspace')],
]);

export const TYPE_OPTIONS = [...TYPE_NAMES]
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label));

export const typeName = (type: string): string => TYPE_NAMES.get(type) ?? type;

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
