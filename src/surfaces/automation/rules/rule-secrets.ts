/**
 * What is secret in the actions of a rule: values of the headers that calls carry, and what signs them. Sealed at rest,
 * bound to the rule's row; in clear with whoever calls, and nowhere else.
 */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

export interface ActionSecrets {
  /** Header → value. */
  headers: Record<string, string>;
  /** `whsec_…`; null where calls are not signed. */
  secret: string | null;
}

/** By the name of the action. Actions without any are not in it. */
export type RuleSecrets = Record<string, ActionSecrets>;

export const NO_SECRETS: ActionSecrets = { headers: {}, secret: null };

/** What is an action's own: one may be called `constructor`. */
export const secretsOfAction = (all: RuleSecrets, name: string): ActionSecrets | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

interface RowId {
  workspace_id: string;
  id: string;
}

export const ruleSecretsContext = (row: RowId): string => `${row.workspace_id}|rules|${row.id}`;

/** @returns null where there are none. */
export const sealRuleSecrets = (secrets: SecretBox, row: RowId, all: RuleSecrets): string | null =>
  Object.keys(all).length ? secrets.seal(JSON.stringify(all), ruleSecretsContext(row)) : null;

/** @throws Error when it was sealed under another secret or for another row. */
export const openRuleSecrets = (
  secrets: SecretBox,
  row: RowId & { secrets_sealed: string | null },
): RuleSecrets =>
  row.secrets_sealed === null
    ? {}
    : (JSON.parse(secrets.open(row.secrets_sealed, ruleSecretsContext(row))) as RuleSecrets);
