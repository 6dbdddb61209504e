/** What the other parts of the product bring to the event log: whose days are kept like those of events, and who wants what. */
import { workspacesWithRules } from '../surfaces/automation/rules/rule-fan-out.system-store.ts';
import { rulePartitions } from '../surfaces/automation/rules/rule-retention.ts';
import type { PartitionedTable } from '../platform/db/partitions.ts';
import type { Subscribed } from '../core/events/wants.ts';
import { clickPartitions } from '../surfaces/links/clicks/click-retention.ts';
import { modelCallPartitions } from '../surfaces/models/ledger/call-retention.ts';
import { requestPartitions } from '../core/requests/request-retention.ts';
import { webhookPartitions } from '../core/webhooks/delivery-retention.ts';
import { subscribedWorkspaces } from '../core/webhooks/subscribed.system-store.ts';

export const partitionedBesideEvents = (clicksKeptDays: number): PartitionedTable[] => [
  ...webhookPartitions,
  ...clickPartitions(clicksKeptDays),
  ...rulePartitions,
  ...requestPartitions,
  ...modelCallPartitions,
];

/** Where webhooks or rules want a type. */
export const subscribedAnyhow: Subscribed = async (db, workspaceIds, type) => [
  ...(await subscribedWorkspaces(db, workspaceIds, type)),
  ...(await workspacesWithRules(db, workspaceIds, type)),
];
