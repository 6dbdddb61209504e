-- Rejections for which a route tries its next model besides.
alter table model_routes add column fallback_on text[] not null default '{}';
