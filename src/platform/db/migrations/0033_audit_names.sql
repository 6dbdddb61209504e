alter table audit_log
  -- The name of the object at that time.
  add column target_name text,
  -- Of an update: {field: {before, after}}.
  add column changes jsonb;
