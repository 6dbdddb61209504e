/** Every operation of automation, in the order in which the document lists them. */
import type { SecretBox } from '../auth/secret-box.ts';
import type { Unit, Units } from '../db/unit.ts';
import type { Operation } from '../http/operation.ts';
import type { LinksPort, MessagesPort, ModelsPort } from './ports.ts';
import type { Receiver } from './publications/receive.ts';
import type { Templates } from './templates/templates.ts';

export interface AutomationOperationDeps {
  baseUrl: string;
  units: Units;
  secrets: SecretBox;
  /** @throws Problem quota_exceeded */
  assertQuota: (unit: Unit, workspaceId: string, resource: string, more?: number) => Promise<void>;
  messages: MessagesPort;
  links: LinksPort;
  models: ModelsPort;
  templates: Templates;
  receiver: Receiver;
}

/** Declares them; nothing is called until one of them runs. */
export const automationOperations = (_deps: AutomationOperationDeps): Operation[] => [];
