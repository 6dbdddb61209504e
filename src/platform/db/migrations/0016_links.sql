-- Short links, what decides their addresses, and what is kept of clicks.

create table domains (
  workspace_id uuid not null,
  id uuid not null,
  -- Lower case, in its ASCII form.
  host text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  -- What the TXT record must hold.
  token text not null,
  not_found_url text,
  root_url text,
  -- When the record was looked up last, what came of it, and when it is looked up again by itself: for seven days from
  -- pending_since on.
  checked_at timestamptz,
  last_error jsonb,
  check_at timestamptz,
  pending_since timestamptz not null,
  verified_at timestamptz,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, host)
);
create index domains_check on domains (check_at) where check_at is not null;

-- Verified hosts over all workspaces: one holds a host.
create table hostnames (
  host text primary key,
  workspace_id uuid not null,
  domain_id uuid not null
);
create index hostnames_domain on hostnames (workspace_id, domain_id);

create table links (
  workspace_id uuid not null,
  id uuid not null,
  -- Host of a domain of the workspace; '' is the default one, which follows BASE_URL.
  domain text not null,
  slug text not null,
  url text not null,
  title text,
  description text,
  image text,
  archived_at timestamptz,
  expires_at timestamptz,
  expired_url text,
  max_clicks integer,
  password_hash text,
  targeting jsonb not null default '[]',
  utm jsonb not null default '{}',
  forward_query boolean not null default false,
  redirect_status smallint not null default 302,
  external_id text,
  metadata jsonb not null default '{}',
  -- What a search looks through, each word behind the end of the workspace's id.
  words tsvector not null,
  -- Hash of all that a caller may ask for but the slug: finds a link that is the same.
  fingerprint bytea not null,
  -- The message that it was made for, and whom that went to.
  message_id uuid,
  contact_id uuid,
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index links_external_id on links (workspace_id, external_id) where external_id is not null;
create index links_domain on links (workspace_id, domain, id);
create index links_fingerprint on links (workspace_id, fingerprint);
create index links_message on links (workspace_id, message_id, id) where message_id is not null;
create index links_contact on links (workspace_id, contact_id, id) where contact_id is not null;
create index links_creator on links (workspace_id, created_by, id);
create index links_archived on links (workspace_id, id) where archived_at is not null;
create index links_expiring on links (workspace_id, id) include (expires_at)
  where expires_at is not null and archived_at is null;
create index links_expired on links (workspace_id, expires_at, id)
  where expires_at is not null and archived_at is null;
create index links_password on links (workspace_id, id) where password_hash is not null;
create index links_words on links using gin (words);

-- What decides who has a slug, with all that a redirect needs (src/surfaces/links/redirect/route.ts).
create table link_routes (
  domain text not null,
  slug text not null,
  workspace_id uuid not null,
  link_id uuid not null,
  route jsonb not null,
  primary key (domain, slug)
);
create index link_routes_link on link_routes (workspace_id, link_id);

-- What nodes may have in memory and is no longer so. A reader goes on from the oldest transaction that was still open
-- when it read last, so that a late commit is never passed over.
create table route_changes (
  n bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now(),
  workspace_id uuid not null,
  -- Null: all of the domain. Both null: all of the workspace.
  domain text,
  slug text
);
create index route_changes_xid on route_changes (xid);

-- Outside the version of a link. Made with it, so that lists in the order of clicks have all.
create table link_counters (
  workspace_id uuid not null,
  link_id uuid not null,
  clicks bigint not null default 0,
  unique_clicks bigint not null default 0,
  bot_clicks bigint not null default 0,
  last_clicked_at timestamptz,
  primary key (workspace_id, link_id)
) with (fillfactor = 80);
create index link_counters_clicks on link_counters (workspace_id, clicks, link_id);
-- Links that nobody clicked stand behind all others.
create index link_counters_last on link_counters (workspace_id, coalesce(last_clicked_at, '-infinity'), link_id)
  include (last_clicked_at);

-- How many people links with max_clicks have sent on.
create table link_budgets (
  workspace_id uuid not null,
  link_id uuid not null,
  max integer not null,
  used integer not null default 0,
  primary key (workspace_id, link_id)
) with (fillfactor = 70);

create table tags (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  color text not null,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index tags_name on tags (workspace_id, lower(name));

create table link_tags (
  workspace_id uuid not null,
  tag_id uuid not null,
  link_id uuid not null,
  primary key (workspace_id, tag_id, link_id)
);
create index link_tags_link on link_tags (workspace_id, link_id);

-- What visitors are hashed with on a UTC day; forgotten two days later.
create table click_salts (
  day date primary key,
  salt bytea not null
);

-- How far the journal of a process is loaded. Whoever loads holds the row: the position, not an index on clicks, keeps
-- a click from being counted twice.
create table journals (
  journal_id uuid primary key,
  segment integer not null default 0,
  position bigint not null default 0,
  updated_at timestamptz not null default now(),
  -- All of it was loaded, and it is removed. The row stays for a year, so that a copy of it that turns up (a back-up, a
  -- clone of the volume) is not loaded again.
  ended_at timestamptz
);

create table clicks (
  workspace_id uuid not null,
  link_id uuid not null,
  -- A UUIDv7 of the time of the click.
  id uuid not null,
  -- 64 bits of the visitor's hash.
  visitor bigint not null,
  bot boolean not null,
  country text,
  city text,
  device text,
  os text,
  browser text,
  referrer text,
  language text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
  -- Only where the workspace asks for it.
  address text,
  primary key (workspace_id, link_id, id)
) partition by range (id);
create table clicks_default partition of clicks default;

-- Who was on a link on a UTC day: the first 48 bits of the id are the day's beginning, the others the visitor's hash.
create table link_visitors (
  workspace_id uuid not null,
  link_id uuid not null,
  id uuid not null,
  primary key (workspace_id, link_id, id)
) partition by range (id);
create table link_visitors_default partition of link_visitors default;

-- Clicks by UTC day: of a link, of a domain, of the workspace (scope_id is its id); those of domain and workspace by UTC
-- hour, too. One row holds all dimensions: a click of a link that has few leaves one row behind.
create table click_rollups (
  workspace_id uuid not null,
  scope_id uuid not null,
  bucket timestamptz not null,
  -- People; bots are counted apart, and are in no dimension.
  clicks integer not null default 0,
  bots integer not null default 0,
  -- First clicks of a visitor on a link on a UTC day.
  uniques integer not null default 0,
  -- The first letter of hour or day.
  resolution "char" not null check (resolution in ('h', 'd')),
  -- By quarter of an hour, one after the other: its number in the row's time, people, bots, uniques. Those without a
  -- click are left out. Null in days of a domain or workspace, which have them by hour.
  quarters integer[],
  -- Counts of people, in the order of DIMENSIONS (src/surfaces/links/clicks/scopes.ts): a value where all have it, an object
  -- {value: clicks} where they have several; null, or beyond the end, where it is known of nobody.
  dimensions jsonb not null default '[]',
  primary key (workspace_id, scope_id, resolution, bucket)
) with (fillfactor = 90);
-- In the row and not compressed: sums of a part of a day look at each of its elements, which would undo it each time.
alter table click_rollups alter column quarters set storage main;

alter table workspaces
  -- Whether clicks keep the raw address.
  add column click_addresses boolean not null default false;

-- Who reads a stream that has types which are made only where somebody wants them, by process.
create table event_wants (
  workspace_id uuid not null,
  type text not null,
  holder uuid not null,
  until timestamptz not null,
  primary key (workspace_id, type, holder)
);
