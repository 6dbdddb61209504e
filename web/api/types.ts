/** Names for the objects of the API, from the generated schema. */
import type { components } from './schema.d.ts';

type Schemas = components['schemas'];

export type Workspace = Schemas['Workspace'];
export type Role = NonNullable<Workspace['role']>;
export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];
export type ApiKey = Schemas['ApiKey'];
/** A key as the call that made or changed it answers: with its secret where that is new. */
export type AnsweredKey = ApiKey & { secret?: string | null };
/** The short form of an object that a key or member created. */
export type CreatedObject = Schemas['CreatedObject'];
export type ScopeName = ApiKey['scopes'][number];
export type AuditEntry = Schemas['AuditEntry'];
export type ApiRequest = Schemas['Request'];
export type RequestUsage = Schemas['RequestUsage'];
export type Usage = Schemas['Usage'];
export type Activity = Schemas['Activity'];
export type InstanceActivity = Schemas['InstanceActivity'];
export type EventObject = Schemas['Event'];
/** As listed without details. */
export type EventType = Schemas['ListedEventType'];
export type ModelPrice = Schemas['ModelPrice'];
export type ModelProvider = Schemas['ModelProvider'];
export type ModelProviderKind = Schemas['ModelProviderKind'];
export type ModelProviderTest = Schemas['ModelProviderTest'];
/** A model as its provider lists it. */
export type ListedModel = Schemas['ModelProviderListedModel'];
export type ModelCall = Schemas['ModelCall'];
export type ModelRoute = Schemas['ModelRoute'];
export type Budget = Schemas['Budget'];
export type ModelUsage = Schemas['ModelUsage'];
export type ModelUsageItem = Schemas['ModelUsageItem'];
export type ModelUsageTotals = Schemas['ModelUsageTotals'];
export type Webhook = Schemas['Webhook'];
/** A webhook as the call that made it or rotated its secret answers. */
export type AnsweredWebhook = Schemas['WebhookWithSecret'];
export type WebhookHealth = Schemas['WebhookHealth'];
export type DeliveryQueue = Schemas['DeliveryQueue'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryWithAttempts'];
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
export type Inspector = Schemas['Inspector'];
export type InspectorRequest = Schemas['InspectorRequest'];
export type InspectorRequestSummary = Schemas['InspectorRequestSummary'];
export type Job = Schemas['Job'];
export type Channel = Schemas['Channel'];
export type ChannelCheck = Schemas['ChannelCheck'];
export type Capabilities = Schemas['Capabilities'];
export type Instance = Schemas['Instance'];
export type Pairing = Schemas['Pairing'];
export type QueueEntry = Schemas['QueueEntry'];
export type UnprocessedUpdate = Schemas['UnprocessedUpdate'];
export type Message = Schemas['Message'];
export type Chat = Schemas['Chat'];
export type MessageType = Message['type'];
export type Media = Schemas['Media'];
export type Contact = Schemas['Contact'];
export type Group = Schemas['Group'];
export type GroupParticipant = Schemas['GroupParticipant'];
export type Link = Schemas['Link'];
export type Tag = Schemas['Tag'];
export type Domain = Schemas['Domain'];
export type PublishingEndpoint = Schemas['PublishingEndpoint'];
/** An endpoint as the call that made it or rotated its secret answers. */
export type AnsweredEndpoint = Schemas['PublishingEndpointWithSecret'];
export type PublishingAuth = Schemas['PublishingAuth'];
export type Destination = Schemas['Destination'];
export type PublishingSample = Schemas['PublishingSample'];
/** A preview of a publication, with its errors. */
export type EndpointTrialAnswer = Schemas['PublishingTest'];
export type Publication = Schemas['Publication'];
export type PublicationDetail = Schemas['PublicationDetail'];
export type PublicationResult = Schemas['PublicationResult'];
export type Rule = Schemas['Rule'];
export type RuleAction = Rule['actions'][number];
export type RuleRun = Schemas['RuleRun'];
/** A preview of a rule's actions. */
export type RuleTrialAnswer = Schemas['RuleTest'];

/** One page of a list. */
export interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}
