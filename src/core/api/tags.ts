/** The tags of operations, in the order and groups in which reference and console show them. */
export const TAG_GROUPS = [
  {
    name: 'Getting started',
    tags: {
      Workspaces: 'A workspace owns everything: keys, members, channels, links, events.',
      Members: 'The people of a workspace, each with one role.',
      Invitations: 'Bring somebody in, by a link to copy or by mail.',
      'API keys': 'Scoped secrets that belong to a workspace. The secret is shown once.',
      Models: 'AI models behind one address that every OpenAI client understands.',
      Events: 'The log of every change, in order and without holes: read it, or follow it live.',
      Webhooks: 'Have events posted to an address of yours, signed, and tried again until they arrive.',
      Account: 'What you are, what you may do, what you used.',
      Jobs: 'Long work that answered 202.',
    },
  },
  {
    name: 'Messaging',
    tags: {
      Channels: 'What accounts can be connected to, and what can be done there.',
      Instances: 'One account on one channel each: connected, and kept so.',
      Messages: 'Send, and read what came: in order per chat, over every channel, never pending for ever.',
      Chats: 'Conversations, by their latest activity: archive, mute, mark as read.',
      Groups:
        'Groups that your accounts are in: make them, join and leave them, say who is in them and what they are called.',
      Contacts:
        'Whom you write with: one contact for all addresses of a person, merged, blocked, imported and erased.',
      Media:
        'Files to send and files received: uploaded or fetched, kept once, handed out by signed addresses.',
    },
  },
  {
    name: 'Short links',
    tags: {
      Links:
        'Short addresses that lead where you say: by country or device, for a time, for so many people, behind a password.',
      Tags: 'Words that bring links together.',
      Domains: 'Host names of your own for short links.',
      Analytics: 'Clicks by time, place, device and source, people and bots apart.',
    },
  },
  {
    name: 'Automation',
    tags: {
      'Publishing endpoints':
        'Addresses that other programs post to: what they send becomes messages, by templates of yours.',
      Publications: 'Received payloads, their destinations and the results.',
      Rules: 'When something happens, do something: send, shorten, call, ask a model.',
      Integrations: 'Flows and collections for other tools, made for this server, ready to import.',
    },
  },
] as const;

type TagsOf<G> = G extends { tags: infer T } ? keyof T : never;
export type Tag = TagsOf<(typeof TAG_GROUPS)[number]>;
