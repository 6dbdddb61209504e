-- What lists of deliveries, health and retention are found by, however many rows there are.

-- Waiting deliveries of a webhook, newest first. Neither column changes.
create index delivery_queue_receiver on delivery_queue (receiver_id, delivery_id);

-- Receivers of a workspace page by page, those that fail apart.
drop index receivers_workspace;
create index receivers_workspace on receivers (workspace_id, id);
create index receivers_failing on receivers (workspace_id, id) where enabled and failing_since is not null;

create index webhook_stats_hour on webhook_stats (hour);
