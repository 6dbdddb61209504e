/** The tags of operations, in the order and groups in which reference and console show them. */
export const TAG_GROUPS = [
  {
    name: 'Getting started',
    tags: {
      Workspaces: 'A workspace owns your API keys, members, instances, links and events.',
      Members: 'The users in a workspace. Each member has one role.',
      Invitations: 'Invite people to a workspace by link or email.',
      'API keys': 'Scoped credentials that belong to a workspace. The secret is shown once.',
      Events: 'Every change in a workspace, in order. List past events or stream new ones.',
      Webhooks: 'Signed event deliveries to your URL, with automatic retries.',
      Account: 'Your identity, permissions, usage and audit log.',
      Jobs: 'The progress of long-running work.',
    },
  },
  {
    name: 'Models',
    tags: {
      Models: 'AI models behind one OpenAI-compatible API.',
      'Model providers': 'The vendors and servers that your models come from, with their keys and prices.',
      'Model routes': 'Your own model IDs, each of which tries several models in order.',
      Budgets: 'Limits on what model calls of a workspace or an API key may use.',
    },
  },
  {
    name: 'Messaging',
    tags: {
      Channels: 'The messaging channels that you can connect accounts to, with their capabilities.',
      Instances: 'An instance is a connected account on a channel.',
      Messages: 'Send and receive messages on every channel. Messages of a chat are sent in order.',
      Chats: 'Conversations, sorted by latest activity.',
      Groups: 'Groups that your accounts belong to, with their participants and settings.',
      Contacts: 'The people you exchange messages with. A contact combines all addresses of a person.',
      Media: 'Files that you send and receive, downloadable with signed URLs.',
    },
  },
  {
    name: 'Short links',
    tags: {
      Links: 'Short links with targeting by country and device, expiry, click limits and passwords.',
      Tags: 'Labels that group links.',
      Domains: 'Your own domains for short links.',
      Analytics: 'Clicks by time, location, device and source, for people and bots separately.',
    },
  },
  {
    name: 'Automation',
    tags: {
      'Publishing endpoints':
        'URLs that accept requests from other systems and turn them into messages with your templates.',
      Publications: 'The payloads that publishing endpoints receive, with the result for each destination.',
      Rules: 'Automations that run actions when a matching event happens.',
      Integrations: 'Files for importing this server into other tools.',
    },
  },
] as const;

type TagsOf<G> = G extends { tags: infer T } ? keyof T : never;
export type Tag = TagsOf<(typeof TAG_GROUPS)[number]>;
