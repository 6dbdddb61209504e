import { useState } from 'react';
import { type ApiCall, sendTagged } from '../../api/call.ts';
import { outdated } from '../../api/edit.ts';
import { useWorkspace } from '../../api/workspace-context.ts';

export interface Base<O> {
  /** The object as the form was filled from it. */
  object: O;
  /**
   * Returns the version to name in the edit.
   * @throws ApiProblem precondition_failed if someone else edited a field of the form
   */
  getVersion: () => Promise<string | null>;
  /** Reads the object again and returns it. */
  reload: () => Promise<O>;
}

/**
 * Keeps the object that a form was filled from. Lists have no versions, so the object is read before it is saved;
 * fields that the form doesn't show, such as counters, may change in the meantime.
 * @param initial null for a new object
 * @param call returns the call that turns `base` into `object`; it uses the path of the object
 */
export function useBase<O>(initial: O, call: (object: O, base: O) => ApiCall): Base<O> {
  const { workspace } = useWorkspace();
  const [base, setBase] = useState<O>(initial);
  const read = () => sendTagged<NonNullable<O>>(workspace.id, { method: 'GET', path: call(base, base).path });
  return {
    object: base,
    async getVersion() {
      if (base === null) return null;
      const { object, version } = await read();
      const getBody = (one: O) => JSON.stringify(call(one, base).body);
      if (getBody(object) !== getBody(base)) throw outdated();
      return version;
    },
    async reload() {
      const { object } = await read();
      setBase(object);
      return object;
    },
  };
}
