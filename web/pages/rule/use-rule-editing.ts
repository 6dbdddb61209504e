/**
 * The editor of a rule that exists: what is written stays until it is saved or given up. What others saved is shown at once
 * where nothing was written here, else it is told, and one chooses.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import { refreshRules, type RuleChange, ruleQuery, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { notifyDone } from '../../ui/notify.ts';
import { changeOf, ruleFormOf } from './rule-form.ts';
import { type RuleEditor, useRuleEditor } from './use-rule-editor.ts';

export interface RuleEditing {
  editor: RuleEditor;
  /** As it was read for the form. */
  base: Rule;
  /** The body of the PATCH; null where nothing was changed. */
  change: RuleChange | null;
  save: () => void;
  saving: boolean;
  problem: unknown;
  refused: readonly Fault[];
  /** Gives up what was written. */
  discard: () => void;
  /** Somebody else changed what is being changed here. */
  conflict: { theirs: Rule; overwrite: () => void } | null;
  isUnsaved: () => boolean;
  /** It is gone: there is nothing to save. */
  forget: () => void;
}

const PRECONDITION_FAILED = 412;

export function useRuleEditing(read: Tagged<Rule>): RuleEditing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  /** What the form was made from. */
  const [base, setBase] = useState(read);
  const editor = useRuleEditor(() => ruleFormOf(read.object));
  const change = changeOf(editor.form, base.object);
  const isChanged = Object.keys(change).length > 0;
  const gone = useRef(false);
  const { queryKey } = ruleQuery(workspace.id, base.object.id);
  const begin = (with_: Tagged<Rule>) => {
    setBase(with_);
    editor.reset(ruleFormOf(with_.object));
  };
  const isElsewhere = read.version !== base.version;
  if (isElsewhere && !isChanged) begin(read);
  const save = useMutation({
    mutationFn: (version: string | null) => updateRule(workspace.id, base.object.id, change, version),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, answer);
      begin(answer);
      notifyDone('Saved');
      void refreshRules(client, workspace.id);
    },
    onError: (error) => {
      // What they saved is needed to choose.
      if (error instanceof ApiProblem && error.status === PRECONDITION_FAILED)
        void client.invalidateQueries({ queryKey });
    },
  });
  const isConflict = save.error instanceof ApiProblem && save.error.status === PRECONDITION_FAILED;
  return {
    editor,
    base: base.object,
    change: isChanged ? change : null,
    save: () => save.mutate(base.version),
    saving: save.isPending,
    problem: isConflict ? null : save.error,
    refused: save.error instanceof ApiProblem ? save.error.faults : [],
    discard: () => {
      save.reset();
      begin(read);
    },
    conflict:
      isElsewhere && isChanged ? { theirs: read.object, overwrite: () => save.mutate(read.version) } : null,
    isUnsaved: () => isChanged && !gone.current,
    forget: () => (gone.current = true),
  };
}
