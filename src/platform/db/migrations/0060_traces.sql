alter table outbox add column traceparent text;
alter table events add column traceparent text;
comment on column outbox.traceparent is 'W3C traceparent of the sampled span that caused the event; null if there is none.';
comment on column events.traceparent is 'W3C traceparent of the sampled span that caused the event; null if there is none.';

create table traced_resources (
  workspace_id uuid not null,
  resource_id text not null,
  traceparent text not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, resource_id)
);
create index traced_resources_created on traced_resources (created_at);
comment on table traced_resources is 'Messages, links and publications of sampled traces, so that what happens to them later continues the trace.';
comment on column traced_resources.resource_id is 'Public ID of the message, link or publication.';
comment on column traced_resources.traceparent is 'W3C traceparent of the last span about the object.';
