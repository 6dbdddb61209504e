-- Messaging: instances, the holders of their connections, messages, chats, contacts, and the send queue.
-- docs/architecture.md, "The way of a message", shows how the tables work together.

-- One account on one channel, as its user sees it.
create table instances (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  channel text not null,
  -- The account's own, normalised; null until it is known.
  address text,
  profile_name text,
  desired_state text not null default 'disconnected' check (desired_state in ('connected', 'disconnected')),
  state text not null default 'created' check (state in (
    'created', 'connecting', 'connected', 'reconnecting', 'restricted', 'action_required', 'disconnected', 'failed'
  )),
  -- A stable word, and the same for people.
  state_reason text,
  state_changed_at timestamptz not null,
  restriction_kind text,
  restriction_until timestamptz,
  settings jsonb not null default '{}',
  -- JSON, sealed.
  credentials_sealed text,
  -- {kind, data} of the present step, sealed: who scans it has the account.
  pairing_sealed text,
  pairing_expires_at timestamptz,
  queue_ttl_seconds integer not null default 86400 check (queue_ttl_seconds > 0),
  -- For channels whose `resend` is never: send again what may have been sent, rather than fail it.
  resend_unknown boolean not null default false,
  connected_at timestamptz,
  last_error_code text,
  last_error_detail text,
  last_error_at timestamptz,
  metadata jsonb not null default '{}',
  created_by text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index instances_address on instances (workspace_id, channel, address) where address is not null;

-- Who holds connections. What a node holds is its own while its lease lasts.
create table connection_nodes (
  id uuid primary key,
  -- Which process of which start of which machine, where the system tells: one that is provably dead is not waited for.
  process text,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

-- One row an instance: whether a connection is wanted, and which node holds it under which epoch. Every take raises the
-- epoch; whatever a holder writes says under which, so that one who lost it writes nothing.
create table connections (
  instance_id uuid primary key,
  workspace_id uuid not null,
  wanted boolean not null default false,
  -- Raised by whatever a connection must be made anew for (restart, other settings): its holder lets go and opens again.
  generation integer not null default 0,
  -- The generation that its holder took it at.
  taken_generation integer not null default 0,
  -- The account's session at the channel is to be ended: with the connection, or, where there is none, by one that is
  -- opened for that alone, with what the session was opened with. Until it is done, or was tried in vain for long.
  logs_out boolean not null default false,
  logout_credentials_sealed text,
  node_id uuid,
  epoch bigint not null default 0,
  -- When it may be opened (again), tries that failed in a row, and since when.
  due_at timestamptz not null default now(),
  failures integer not null default 0,
  failing_since timestamptz,
  -- Where the driver goes on hearing.
  position jsonb
) with (fillfactor = 70);
create index connections_due on connections (due_at) where (wanted or logs_out) and node_id is null;
create index connections_node on connections (node_id) where node_id is not null;
create index connections_workspace on connections (workspace_id);

-- The lock of an instance's order: whoever adds a message to it or takes something from its queue holds this row until
-- the commit, so that sequence and position have the order of commits.
create table instance_queues (
  instance_id uuid primary key,
  workspace_id uuid not null,
  last_sequence bigint not null default 0,
  last_position bigint not null default 0,
  -- Rows of send_queue with the action `send`.
  length integer not null default 0,
  -- Somebody cleared the queue: rows up to this position are not claimed any more, and go in batches. 0 once they are gone.
  cleared_through bigint not null default 0
) with (fillfactor = 50);
create index instance_queues_workspace on instance_queues (workspace_id);
create index instance_queues_cleared on instance_queues (instance_id) where cleared_through > 0;

create table contacts (
  workspace_id uuid not null,
  id uuid not null,
  -- Given by the workspace, and by the channel.
  name text,
  profile_name text,
  avatar_url text,
  blocked boolean not null default false,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
-- Lists go by it, in an order that no locale changes.
create index contacts_name on contacts (workspace_id, (lower(coalesce(name, profile_name)) collate "C"), id);
create index contacts_blocked on contacts (workspace_id, id) where blocked;

create table contact_identities (
  workspace_id uuid not null,
  instance_id uuid not null,
  -- Normalised.
  address text not null,
  contact_id uuid not null,
  primary key (workspace_id, instance_id, address)
);
create index contact_identities_contact on contact_identities (workspace_id, contact_id);
create index contact_identities_instance on contact_identities (workspace_id, instance_id, contact_id);
create index contact_identities_address on contact_identities (workspace_id, (lower(address) collate "C"), contact_id);

-- Ids of contacts that were merged into others: they go on working.
create table contact_aliases (
  workspace_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  primary key (workspace_id, id)
);
create index contact_aliases_contact on contact_aliases (workspace_id, contact_id);

create table chats (
  workspace_id uuid not null,
  id uuid not null,
  instance_id uuid not null,
  kind text not null check (kind in ('direct', 'group')),
  -- The channel's own key: an address, or the first message's id of a thread.
  key text not null,
  -- The other side, normalised.
  address text not null,
  title text,
  contact_id uuid,
  last_message_id uuid,
  last_message_at timestamptz,
  unread integer not null default 0 check (unread >= 0),
  archived_at timestamptz,
  -- infinity: until somebody says otherwise.
  muted_until timestamptz,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 70);
create unique index chats_key on chats (workspace_id, instance_id, key);
create index chats_address on chats (workspace_id, instance_id, address, id);
create index chats_activity on chats (workspace_id, last_message_at desc nulls last, id desc);
create index chats_contact on chats (workspace_id, contact_id) where contact_id is not null;

create table messages (
  workspace_id uuid not null,
  id uuid not null,
  instance_id uuid not null,
  chat_id uuid not null,
  -- Contiguous per instance, in the order of commits.
  sequence bigint not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  source text not null check (source in ('api', 'console', 'rule', 'publishing', 'channel')),
  type text not null,
  -- The object that stands under the type's name.
  content jsonb not null,
  -- What a search looks through: body, caption, file name.
  search_text text,
  subject text,
  media_id uuid,
  from_address text,
  to_address text,
  -- The other side of a direct chat, the writer in a group.
  contact_id uuid,
  reply_to uuid,
  -- The channel's id of the message replied to, where that is none of ours.
  reply_to_external_id text,
  mentions text[] not null default '{}',
  -- Of what came: no person wrote it (an absence note, a program, a mailing list).
  automatic text check (automatic in ('auto_replied', 'auto_generated', 'list')),
  status text not null check (status in (
    'scheduled', 'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'received'
  )),
  -- [{status, at}], oldest first.
  status_history jsonb not null,
  error_code text,
  error_detail text,
  error_retryable boolean,
  -- failed or canceled again, apart from status so that its index is touched by these alone.
  failed_as text,
  -- An edit, a revocation or a reaction on its way, and why the last one was not done: {action, code, detail, at}.
  pending_action text,
  action_error jsonb,
  external_id text,
  scheduled_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 80);
create index messages_chat on messages (workspace_id, chat_id, id);
create index messages_instance on messages (workspace_id, instance_id, id);
create index messages_failed on messages (workspace_id, failed_as, id) where failed_as is not null;
create index messages_media on messages (workspace_id, media_id) where media_id is not null;
-- The workspace is a word of each: who searches never looks through what others' messages have in common.
create index messages_search on messages using gin (
  (to_tsvector('simple', coalesce(search_text, '')) || array_to_tsvector(array[workspace_id::text]))
) where search_text is not null;

-- External ids that are known, of what came and of what was sent: nothing is taken in twice.
create table inbound_seen (
  workspace_id uuid not null,
  instance_id uuid not null,
  external_id text not null,
  message_id uuid not null,
  primary key (workspace_id, instance_id, external_id)
);
create index inbound_seen_message on inbound_seen (workspace_id, message_id);

create table message_reactions (
  workspace_id uuid not null,
  message_id uuid not null,
  author text not null,
  from_me boolean not null,
  emoji text not null,
  created_at timestamptz not null,
  primary key (workspace_id, message_id, author)
);

-- What an instance's connection is still to do, in order. The row goes when the work is done. Changes of an instance's
-- rows but claims happen under the lock of its row in instance_queues. Of the rows of one chat all but the first wait at
-- infinity; whoever takes the first away lets the next go.
create table send_queue (
  -- Of the message for `send`.
  id uuid primary key,
  workspace_id uuid not null,
  instance_id uuid not null,
  chat_id uuid,
  message_id uuid,
  action text not null check (action in ('send', 'edit', 'revoke', 'react', 'read', 'block', 'unblock', 'check')),
  payload jsonb,
  position bigint not null,
  due_at timestamptz not null,
  expires_at timestamptz not null,
  -- Times that it was given to the channel.
  attempts smallint not null default 0,
  -- The connection's epoch under which it is under way.
  claimed_epoch bigint,
  -- The channel may have taken it: nobody knows. It is never expired or canceled as if it had not.
  uncertain boolean not null default false,
  -- Why it was not done when it was tried last.
  last_error_code text,
  last_error_detail text,
  created_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index send_queue_due on send_queue (instance_id, due_at);
create index send_queue_chat on send_queue (chat_id, position) where chat_id is not null;
create index send_queue_expiry on send_queue (expires_at);
create index send_queue_position on send_queue (instance_id, position);
create index send_queue_workspace on send_queue (workspace_id, id);

-- Messages for later: they join the queue of their chat when they are due.
create table scheduled_messages (
  message_id uuid primary key,
  workspace_id uuid not null,
  instance_id uuid not null,
  due_at timestamptz not null
);
create index scheduled_messages_due on scheduled_messages (due_at);
create index scheduled_messages_instance on scheduled_messages (instance_id, due_at);
create index scheduled_messages_workspace on scheduled_messages (workspace_id, message_id);
