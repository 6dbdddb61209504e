/** Stores prompts and responses, in workspaces that ask for it. */
import type { Db } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { OpenCall } from '../contract/call-ledger.ts';
import { type CallContent, callContentContext } from './call-content.ts';
import { insertContent } from './model-call.store.ts';

/** Stores the content of a call. A failure is logged, and has no effect on the call. */
export type StoreContent = (call: OpenCall, content: CallContent) => Promise<void>;

export const createContentWriter =
  (deps: { db: Db; secrets: SecretBox; log: Pick<Log, 'warn'> }): StoreContent =>
  async ({ id, actor: { workspaceId } }, content) => {
    const sealed = deps.secrets.seal(
      JSON.stringify(content),
      callContentContext({ workspace_id: workspaceId, id }),
    );
    try {
      await insertContent(deps.db, workspaceId, id, sealed);
    } catch (error) {
      deps.log.warn({ err: error, call: id }, 'models: could not store the content of a call');
    }
  };
