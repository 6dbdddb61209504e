import { type ApiCall, sendTagged } from '../../api/call.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { type ApiForm, useApiForm } from './use-api-form.ts';
import { useBase } from './use-base.ts';

interface EditFormOptions<O, V, R> {
  /** Null creates one. */
  object: O;
  fill: (object: O) => V;
  /**
   * Returns the call that saves the form: the differences from `base`, or all of it. It uses the path of the object.
   * @param isShown for the cURL command, where secrets have placeholders
   */
  call: (values: V, base: O, isShown: boolean) => ApiCall<R>;
  done: (answer: R, saved: Saved) => unknown;
}

interface Saved {
  /** The ETag of the answer. */
  version: string | null;
  /** Refills a form that stays on the page with the saved values. */
  reload: () => Promise<void>;
}

export type EditForm<V extends object, O = unknown> = ApiForm<V> & {
  /** The object that the form was filled from; null for a new one. */
  base: O;
  /** The call of the form, as shown. */
  call: ApiCall;
};

/**
 * The form that creates or edits an object. An edit never overwrites concurrent changes: it is rejected, and `reload`
 * takes over their changes in the fields that were not edited here.
 */
export function useEditForm<O extends { id: string } | null, V extends object, R>(
  options: EditFormOptions<O, V, R>,
): EditForm<V, O> {
  const { object, fill, call, done } = options;
  const { workspace } = useWorkspace();
  const base = useBase(object, (one, other) => call(fill(one), other, false));
  const form = useApiForm(
    fill(object),
    async (values: V) =>
      sendTagged(workspace.id, call(values, base.object, false), { version: await base.getVersion() }),
    (answer, _values, { refill }) =>
      done(answer.object, {
        version: answer.version,
        reload: async () => refill(fill(await base.reload())),
      }),
  );
  return {
    ...form,
    base: base.object,
    call: call(form.values, base.object, true),
    reload: async () => form.refill(fill(await base.reload())),
  };
}
