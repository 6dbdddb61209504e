/**
 * Secrets of rule actions: header values and signing secrets of calls. Sealed at rest and bound to the row of the rule;
 * in plaintext only while a call is made.
 */
import { parseOwnJson } from '../../../../platform/json/own-json.ts';
import type { SecretBox } from '../../../../platform/crypto/secret-box.ts';

export interface ActionSecrets {
  /** Header → value. */
  headers: Record<string, string>;
  /** `whsec_…`; null if calls are not signed. */
  secret: string | null;
}

/** Secrets by action name; actions without secrets are omitted. */
export type RuleSecrets = Record<string, ActionSecrets>;

export const NO_SECRETS: ActionSecrets = { headers: {}, secret: null };

/** Returns the secrets of an action. Own properties only: an action may be named `constructor`. */
export const getActionSecrets = (all: RuleSecrets, name: string): ActionSecrets | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

interface RowId {
  workspace_id: string;
  id: string;
}

export const ruleSecretsContext = (row: RowId): string => `${row.workspace_id}|rules|${row.id}`;

/**
 * Seals the secrets.
 * @returns null if there are none
 */
export const sealRuleSecrets = (secrets: SecretBox, row: RowId, all: RuleSecrets): string | null =>
  Object.keys(all).length ? secrets.seal(JSON.stringify(all), ruleSecretsContext(row)) : null;

/**
 * Opens sealed secrets.
 * @throws Error if they were sealed with another key or for another row
 */
export const openRuleSecrets = (
  secrets: SecretBox,
  row: RowId & { secrets_sealed: string | null },
): RuleSecrets =>
  row.secrets_sealed === null
    ? {}
    : parseOwnJson<RuleSecrets>(secrets.open(row.secrets_sealed, ruleSecretsContext(row)));
