/** The editor state of an existing rule. */
import { useQueryClient } from '@tanstack/react-query';
import type { Tagged } from '../../api/call.ts';
import { refreshRules, type RuleChange, ruleQuery, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { type SavedForm, useSavedForm } from '../../patterns/workbench/use-saved-form.ts';
import { toRuleForm, toUpdateBody } from './rule-form.ts';
import { type RuleEditor, useRuleEditor } from './use-rule-editor.ts';

export interface RuleEditing extends SavedForm<Rule, RuleChange> {
  editor: RuleEditor;
}

export function useRuleEditing(read: Tagged<Rule>): RuleEditing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const editor = useRuleEditor(() => toRuleForm(read.object));
  const { id } = read.object;
  const saved = useSavedForm<Rule, RuleChange>({
    read,
    queryKey: ruleQuery(workspace.id, id).queryKey,
    getChange: (base) => toUpdateBody(editor.form, base),
    reset: (rule) => editor.reset(toRuleForm(rule)),
    call: (change) => updateRule(id, change),
    refresh: () => refreshRules(client, workspace.id),
  });
  return { ...saved, editor };
}
