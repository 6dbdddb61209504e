/** The editor of a rule that exists. */
import { useQueryClient } from '@tanstack/react-query';
import type { Tagged } from '../../api/client.ts';
import { refreshRules, type RuleChange, ruleQuery, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { type SavedForm, useSavedForm } from '../publishing-endpoint/use-saved-form.ts';
import { changeOf, ruleFormOf } from './rule-form.ts';
import { type RuleEditor, useRuleEditor } from './use-rule-editor.ts';

export interface RuleEditing extends SavedForm<Rule, RuleChange> {
  editor: RuleEditor;
}

export function useRuleEditing(read: Tagged<Rule>): RuleEditing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const editor = useRuleEditor(() => ruleFormOf(read.object));
  const { id } = read.object;
  const saved = useSavedForm<Rule, RuleChange>({
    read,
    queryKey: ruleQuery(workspace.id, id).queryKey,
    changeOf: (base) => changeOf(editor.form, base),
    reset: (rule) => editor.reset(ruleFormOf(rule)),
    update: (change, version) => updateRule(workspace.id, id, change, version),
    refresh: () => refreshRules(client, workspace.id),
  });
  return { ...saved, editor };
}
