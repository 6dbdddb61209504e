
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA pgboss;

CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);

CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i13 ON pgboss.job (name, singleton_key) WHERE state = 'created' AND upsert_by_key$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i14 ON pgboss.job (name, state, blocked, start_after) WHERE state IN ('created', 'retry', 'active', 'failed')$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i15 ON pgboss.job (name, created_on)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i16 ON pgboss.job (name, completed_on) WHERE completed_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i17 ON pgboss.job (name, singleton_key, created_on) WHERE state < 'active' AND singleton_key IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;

CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$;

CREATE FUNCTION pgboss.job_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
      SELECT pg_catalog.now();
    $$;

CREATE FUNCTION pgboss.job_table_format(command text, table_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;

CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;

CREATE FUNCTION pgboss.job_table_run_async(command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$;

CREATE FUNCTION public.raise_auth_epoch_for_sessions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' then
    -- An expired session was untrue already.
    if not exists (select from old_rows where expires_at > now()) then return null; end if;
  elsif not exists (
    select from old_rows o join new_rows n on n.id = o.id
    where n.expires_at < o.expires_at or n.token_hash <> o.token_hash or n.user_id <> o.user_id
  ) then return null;
  end if;
  update auth_epoch set epoch = epoch + 1;
  return null;
end $$;

CREATE FUNCTION public.raise_auth_epoch_for_users() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
  elsif not exists (
    select from old_rows o left join new_rows n on n.id = o.id
    where (o.name, o.email, o.disabled_at) is distinct from (n.name, n.email, n.disabled_at)
  ) then return null;
  end if;
  update auth_epoch set epoch = epoch + 1;
  return null;
end $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE pgboss.bam (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    queue text,
    table_name text NOT NULL,
    command text NOT NULL,
    error text,
    created_on timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone
);

CREATE TABLE pgboss.instance (
    id uuid NOT NULL,
    name text,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    node_version text NOT NULL,
    application_name text,
    heartbeat_seconds integer NOT NULL,
    supervise boolean NOT NULL,
    schedule boolean NOT NULL,
    migrate boolean NOT NULL,
    persist_queue_stats boolean NOT NULL,
    persist_warnings boolean NOT NULL,
    pool_max integer,
    pool_total integer,
    pool_idle integer,
    pool_waiting integer,
    workers jsonb DEFAULT '[]'::jsonb NOT NULL,
    metrics jsonb,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    crash_restarts integer DEFAULT 0 NOT NULL,
    crash_restarts_since timestamp with time zone,
    started_on timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_on timestamp with time zone DEFAULT now() NOT NULL,
    stopped_on timestamp with time zone
);

CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    trace_context jsonb,
    upsert_by_key boolean
)
PARTITION BY LIST (name);

CREATE TABLE pgboss.job_common (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    trace_context jsonb,
    upsert_by_key boolean,
    CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK ((NOT ((policy = 'key_strict_fifo'::text) AND (singleton_key IS NULL))))
);

CREATE TABLE pgboss.job_dependency (
    child_name text NOT NULL,
    child_id uuid NOT NULL,
    parent_name text NOT NULL,
    parent_id uuid NOT NULL
);

CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text NOT NULL,
    retry_limit integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    retry_delay_max integer,
    expire_seconds integer NOT NULL,
    retention_seconds integer NOT NULL,
    deletion_seconds integer NOT NULL,
    dead_letter text,
    partition boolean NOT NULL,
    table_name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    blocked_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    warning_queued integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    retained_count integer,
    retained_on timestamp with time zone,
    created_delta integer DEFAULT 0 NOT NULL,
    completed_delta integer DEFAULT 0 NOT NULL,
    failed_delta integer DEFAULT 0 NOT NULL,
    delta_on timestamp with time zone,
    delta_seconds integer,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    ready_history integer[] DEFAULT '{}'::integer[] NOT NULL,
    heartbeat_seconds integer,
    notify boolean DEFAULT false NOT NULL,
    singletons_active text[],
    monitor_claim_on timestamp with time zone,
    monitor_on timestamp with time zone,
    maintain_on timestamp with time zone,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_check CHECK ((dead_letter IS DISTINCT FROM name))
);

CREATE TABLE pgboss.queue_stats (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (captured_on);

CREATE TABLE pgboss.queue_stats_20261122 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.queue_stats_20261123 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    kind text DEFAULT 'cron'::text NOT NULL,
    cron text NOT NULL,
    timezone text DEFAULT 'UTC'::text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    last_job_id uuid,
    CONSTRAINT schedule_kind_check CHECK ((kind = ANY (ARRAY['cron'::text, 'rrule'::text])))
);

CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.version (
    version integer NOT NULL,
    cron_on timestamp with time zone,
    bam_on timestamp with time zone,
    flow_on timestamp with time zone,
    reindex_on timestamp with time zone,
    monitor_backoff_on timestamp with time zone
);

CREATE TABLE pgboss.warning (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    data jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    provider_id text NOT NULL,
    account_id text NOT NULL,
    password text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.api_keys (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    scopes text[] NOT NULL,
    preset text,
    expires_at timestamp with time zone,
    allowed_ips text[] DEFAULT '{}'::text[] NOT NULL,
    allowed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    rate_limit_per_minute integer,
    rate_limit_burst integer,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    reminded_at timestamp with time zone
);

CREATE TABLE public.audit_log (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    action text NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    actor_name text,
    target_type text,
    target_id text,
    ip text,
    request_id text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE UNLOGGED TABLE public.auth_attempts (
    key bytea NOT NULL,
    used integer NOT NULL,
    window_ends timestamp with time zone NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.auth_epoch (
    singleton boolean DEFAULT true NOT NULL,
    epoch bigint DEFAULT 1 NOT NULL,
    CONSTRAINT auth_epoch_singleton_check CHECK (singleton)
);

CREATE TABLE public.events (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (id);

CREATE TABLE public.events_20261122 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261123 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261124 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261125 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261126 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261127 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261128 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_20261129 (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.events_default (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.first_user_setup (
    singleton boolean DEFAULT true NOT NULL,
    token_hash bytea,
    token_made_at timestamp with time zone,
    CONSTRAINT first_user_setup_singleton_check CHECK (singleton)
);

CREATE TABLE public.idempotency_keys (
    actor text NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    workspace_id uuid,
    request_hash bytea NOT NULL,
    status integer NOT NULL,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    body jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.invitations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    invited_by uuid,
    accepted_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    invited_by_key uuid,
    CONSTRAINT invitations_one_inviter CHECK (((invited_by IS NULL) OR (invited_by_key IS NULL))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text]))),
    CONSTRAINT invitations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'accepted'::text, 'revoked'::text])))
);

CREATE TABLE public.invite_tokens (
    hash bytea NOT NULL,
    workspace_id uuid NOT NULL,
    invitation_id uuid NOT NULL
);

CREATE TABLE public.jobs (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    progress jsonb DEFAULT '{}'::jsonb NOT NULL,
    result jsonb,
    error jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])))
);

CREATE TABLE public.key_hashes (
    hash bytea NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    valid_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.key_origins (
    origin text NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL
);

CREATE TABLE public.key_usage (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    last_used_ip inet,
    last_used_operation text
)
WITH (fillfactor='70');

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.members (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text])))
);

CREATE TABLE public.model_usage (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    actor text NOT NULL,
    model text NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.outbox (
    n bigint NOT NULL,
    bucket smallint NOT NULL,
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');

ALTER TABLE public.outbox ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.outbox_rejected (
    n bigint NOT NULL,
    bucket smallint NOT NULL,
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    resource_id text,
    data jsonb NOT NULL,
    truncated boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    error text NOT NULL,
    rejected_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.rate_buckets (
    key_id uuid NOT NULL,
    tokens double precision NOT NULL,
    drawn_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    holds jsonb DEFAULT '{}'::jsonb NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.secret_checks (
    singleton boolean DEFAULT true NOT NULL,
    sealed text NOT NULL,
    CONSTRAINT secret_checks_singleton_check CHECK (singleton)
);

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ip_address text,
    user_agent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.users (
    id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_verified boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT users_email_check CHECK ((email = lower(email)))
);

CREATE TABLE public.verifications (
    id uuid NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.workspace_sequences (
    workspace_id uuid NOT NULL,
    last_sequence bigint DEFAULT 0 NOT NULL,
    expired_through bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261122 FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00');

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261123 FOR VALUES FROM ('2026-11-23 00:00:00+00') TO ('2026-11-24 00:00:00+00');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261122 FOR VALUES FROM ('01a2008d-7400-0000-0000-000000000000') TO ('01a205b3-d000-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261123 FOR VALUES FROM ('01a205b3-d000-0000-0000-000000000000') TO ('01a20ada-2c00-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261124 FOR VALUES FROM ('01a20ada-2c00-0000-0000-000000000000') TO ('01a21000-8800-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261125 FOR VALUES FROM ('01a21000-8800-0000-0000-000000000000') TO ('01a21526-e400-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261126 FOR VALUES FROM ('01a21526-e400-0000-0000-000000000000') TO ('01a21a4d-4000-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261127 FOR VALUES FROM ('01a21a4d-4000-0000-0000-000000000000') TO ('01a21f73-9c00-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261128 FOR VALUES FROM ('01a21f73-9c00-0000-0000-000000000000') TO ('01a22499-f800-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261129 FOR VALUES FROM ('01a22499-f800-0000-0000-000000000000') TO ('01a229c0-5400-0000-0000-000000000000');

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_default DEFAULT;

INSERT INTO pgboss.job VALUES ('09cfa470-ddcc-4130-bc66-2c4d0803c2a5', 'workspaces.erase', 0, '{"workspaceId": "01a20293-d179-74f8-bb00-285eb96a3f49"}', 'created', 9, 0, 60, true, 3600, 21600, 604800, NULL, NULL, NULL, NULL, '2026-11-22 09:27:11.619663+00', '2026-11-22 09:26:11.619663+00', NULL, NULL, '2026-12-06 09:27:11.619663+00', NULL, 'dead', 'standard', NULL, NULL, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO pgboss.queue VALUES ('__pgboss__send-it', 'standard', 2, 0, false, NULL, 900, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.625492+00', '2026-11-22 09:26:08.625492+00');
INSERT INTO pgboss.queue VALUES ('dead', 'standard', 0, 0, false, NULL, 900, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.681062+00', '2026-11-22 09:26:08.681062+00');
INSERT INTO pgboss.queue VALUES ('mail.send', 'standard', 11, 15, true, 3600, 60, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.697831+00', '2026-11-22 09:26:08.697831+00');
INSERT INTO pgboss.queue VALUES ('workspaces.erase', 'standard', 9, 60, true, 3600, 21600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.702744+00', '2026-11-22 09:26:08.702744+00');
INSERT INTO pgboss.queue VALUES ('partitions.maintain', 'exclusive', 1, 60, true, 600, 3600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.708638+00', '2026-11-22 09:26:08.708638+00');
INSERT INTO pgboss.queue VALUES ('idempotency-keys.delete-old', 'exclusive', 1, 60, true, 600, 3600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.714954+00', '2026-11-22 09:26:08.714954+00');
INSERT INTO pgboss.queue VALUES ('invitations.delete-old', 'exclusive', 1, 60, true, 600, 3600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.718177+00', '2026-11-22 09:26:08.718177+00');
INSERT INTO pgboss.queue VALUES ('workspaces.erase-deleted', 'exclusive', 1, 60, true, 600, 3600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.733668+00', '2026-11-22 09:26:08.733668+00');
INSERT INTO pgboss.queue VALUES ('sessions.delete-expired', 'exclusive', 1, 60, true, 600, 3600, 1209600, 604800, 'dead', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 09:26:08.747241+00', '2026-11-22 09:26:08.747241+00');

INSERT INTO pgboss.schedule VALUES ('partitions.maintain', '', 'cron', '7 * * * *', 'UTC', NULL, '{}', '2026-11-22 09:26:08.830328+00', '2026-11-22 09:26:08.830328+00', NULL);
INSERT INTO pgboss.schedule VALUES ('idempotency-keys.delete-old', '', 'cron', '17 * * * *', 'UTC', NULL, '{}', '2026-11-22 09:26:08.848886+00', '2026-11-22 09:26:08.848886+00', NULL);
INSERT INTO pgboss.schedule VALUES ('invitations.delete-old', '', 'cron', '27 * * * *', 'UTC', NULL, '{}', '2026-11-22 09:26:08.856886+00', '2026-11-22 09:26:08.856886+00', NULL);
INSERT INTO pgboss.schedule VALUES ('workspaces.erase-deleted', '', 'cron', '37 * * * *', 'UTC', NULL, '{}', '2026-11-22 09:26:08.859494+00', '2026-11-22 09:26:08.859494+00', NULL);
INSERT INTO pgboss.schedule VALUES ('sessions.delete-expired', '', 'cron', '57 * * * *', 'UTC', NULL, '{}', '2026-11-22 09:26:08.86346+00', '2026-11-22 09:26:08.86346+00', NULL);

INSERT INTO pgboss.version VALUES (46, '2026-11-22 09:26:08.686707+00', '2026-11-22 09:26:08.678332+00', '2026-11-22 09:26:08.634526+00', NULL, NULL);

INSERT INTO public.accounts VALUES ('01a20293-cd46-7171-b195-901c83609017', '01a20293-cd42-7086-a0c1-c22c2e102360', 'credential', '01a20293-cd42-7086-a0c1-c22c2e102360', '$argon2id$v=19$m=47104,t=1,p=1$5OPoQME7HihI7dTlRerbQw$I95eOTXQdjsAm06w6gsmqgjl77bH+8o9Q013A51IMQ8', '2026-11-22 09:26:10.502+00', '2026-11-22 09:26:10.502+00');
INSERT INTO public.accounts VALUES ('01a20293-cf9c-77ef-8aad-9f09a4e7bfb7', '01a20293-cf9b-7404-9d72-cc6ed37fe860', 'credential', '01a20293-cf9b-7404-9d72-cc6ed37fe860', '$argon2id$v=19$m=47104,t=1,p=1$trHL+b+Udn4PX6bo4Exz1w$xCxlMB3SI9XkdhrQflhESSu/7Fvjq34oD/UodtXoqVA', '2026-11-22 09:26:11.1+00', '2026-11-22 09:26:11.1+00');
INSERT INTO public.accounts VALUES ('01a20293-d0c2-7758-89e2-3e755091cb30', '01a20293-d0be-7317-b5f0-bd52e7aab2c1', 'credential', '01a20293-d0be-7317-b5f0-bd52e7aab2c1', '$argon2id$v=19$m=47104,t=1,p=1$18SHAhrWdc7RRGu7irfiLg$TadRzyfg6c26vUU5+pfELdjVNT2xtQcyEeUjnID8Ha0', '2026-11-22 09:26:11.394+00', '2026-11-22 09:26:11.394+00');

INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d29a-7269-a112-fbd875af5d08', 'Full', 'fl_nTpN', 'zKQi', '{workspaces:read,workspaces:write,members:read,members:write,api_keys:read,models:read,models:write,providers:read,providers:write,instances:read,instances:write,messages:read,messages:write,chats:read,chats:write,groups:read,groups:write,contacts:read,contacts:write,media:read,media:write,links:read,links:write,domains:read,domains:write,publishing:read,publishing:write,rules:read,rules:write,webhooks:read,webhooks:write,events:read,events:write,audit:read,audit:write,usage:read,usage:write,models:invoke,links:create,publishing:publish}', 'full', NULL, '{}', '{}', NULL, NULL, '{}', 'usr_01m8197ka2e23a1ge25gq108v0', 1, '2026-11-22 09:26:11.865+00', '2026-11-22 09:26:11.865+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d346-70c3-bbde-d3c232b3f1de', 'Reader', 'fl_6HjE', 'zQQh', '{events:read}', NULL, '2027-01-01 09:26:11.896+00', '{127.0.0.0/8,::1/128}', '{}', 600, 120, '{"team": "ops"}', 'usr_01m8197ka2e23a1ge25gq108v0', 1, '2026-11-22 09:26:11.968+00', '2026-11-22 09:26:11.968+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d36b-7440-b84a-8542f358eb3e', 'Shop', 'fl_8Aep', 'IqeB', '{links:create}', NULL, '2027-01-01 09:26:12.066+00', '{}', '{https://shop.example.com}', 600, 120, '{}', 'usr_01m8197ka2e23a1ge25gq108v0', 1, '2026-11-22 09:26:12.075+00', '2026-11-22 09:26:12.075+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3af-7440-a27b-d7f19c9e9a29', 'Writer', 'fl_GgCK', 'OPtN', '{api_keys:read,api_keys:write,links:read,events:read}', NULL, NULL, '{}', '{}', NULL, NULL, '{}', 'usr_01m8197ka2e23a1ge25gq108v0', 1, '2026-11-22 09:26:12.143+00', '2026-11-22 09:26:12.143+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3c8-76f8-8e34-f12e48d1b8ed', 'Revoked', 'fl_zUnE', 'kNzz', '{links:read,links:write,domains:read,domains:write,webhooks:read,webhooks:write,events:read,events:write,links:create}', 'links', NULL, '{}', '{}', 600, 120, '{}', 'usr_01m8197ka2e23a1ge25gq108v0', 2, '2026-11-22 09:26:12.168+00', '2026-11-22 09:26:12.202+00', '2026-11-22 09:26:12.202+00', NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d420-70f9-9e34-6681a2abe122', 'Rotating', 'fl_Z2Vi', 'xOGe', '{workspaces:read,workspaces:write,members:read,members:write,api_keys:read,models:read,models:write,providers:read,providers:write,instances:read,instances:write,messages:read,messages:write,chats:read,chats:write,groups:read,groups:write,contacts:read,contacts:write,media:read,media:write,links:read,links:write,domains:read,domains:write,publishing:read,publishing:write,rules:read,rules:write,webhooks:read,webhooks:write,events:read,events:write,audit:read,audit:write,usage:read,usage:write,models:invoke,links:create,publishing:publish}', 'full', NULL, '{}', '{}', 600, 120, '{}', 'usr_01m8197ka2e23a1ge25gq108v0', 2, '2026-11-22 09:26:12.256+00', '2026-11-22 09:26:12.267+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', '01a20293-d447-754d-90f4-66958a4c6339', 'Bobs', 'fl_KQ1E', 'VB2P', '{workspaces:read,workspaces:write,members:read,members:write,api_keys:read,models:read,models:write,providers:read,providers:write,instances:read,instances:write,messages:read,messages:write,chats:read,chats:write,groups:read,groups:write,contacts:read,contacts:write,media:read,media:write,links:read,links:write,domains:read,domains:write,publishing:read,publishing:write,rules:read,rules:write,webhooks:read,webhooks:write,events:read,events:write,audit:read,audit:write,usage:read,usage:write,models:invoke,links:create,publishing:publish}', 'full', NULL, '{}', '{}', 600, 120, '{}', 'usr_01m8197kwveg29twpcdv9qzt30', 1, '2026-11-22 09:26:12.295+00', '2026-11-22 09:26:12.295+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d452-7225-a3a3-29f781d3c7d1', 'Once', 'fl_jsn1', 'uF7G', '{links:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 1, '2026-11-22 09:26:12.306+00', '2026-11-22 09:26:12.306+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d461-7242-b508-bd7e85dbbc86', 'Key 0 renamed', 'fl_l5DL', 'XJEU', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.321+00', '2026-11-22 09:26:12.331+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d47c-72c6-a5b4-690892852a21', 'Key 1 renamed', 'fl_fZeM', 'xaD5', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.348+00', '2026-11-22 09:26:12.358+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d48c-75d4-afd5-ac7958315070', 'Key 2 renamed', 'fl_Kkar', 'yacf', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.364+00', '2026-11-22 09:26:12.373+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d49d-7474-90bd-5f15f3c2aadd', 'Key 3 renamed', 'fl_mxfl', '2AeA', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.381+00', '2026-11-22 09:26:12.39+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4af-75b8-9227-6ca13b181df0', 'Key 4 renamed', 'fl_4eEv', '0aJm', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.399+00', '2026-11-22 09:26:12.409+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4c1-7251-b417-22871cf79fd3', 'Key 5 renamed', 'fl_RpPx', 'h8Wd', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.417+00', '2026-11-22 09:26:12.435+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4e1-75d7-b7d3-f27864bbc25b', 'Key 6 renamed', 'fl_oIiX', 'Tkys', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.449+00', '2026-11-22 09:26:12.455+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4ee-75ea-85f2-c9da867b0906', 'Key 7 renamed', 'fl_OoFs', 'Ekj4', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.462+00', '2026-11-22 09:26:12.473+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d505-7118-b096-5b83d2dcbcdb', 'Key 8 renamed', 'fl_tKAZ', 'INCD', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.485+00', '2026-11-22 09:26:12.505+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d550-777e-89d2-d72e825d6a97', 'Key 9 renamed', 'fl_TLYo', '9w1I', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.56+00', '2026-11-22 09:26:12.623+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d5de-7210-96a0-7176e381dc96', 'Key 10 renamed', 'fl_ItX5', 'My0Y', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.702+00', '2026-11-22 09:26:12.744+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d64e-754f-83ee-985712ba474b', 'Key 11 renamed', 'fl_jCvi', 'ACKF', '{events:read}', NULL, NULL, '{}', '{}', 600, 120, '{}', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 2, '2026-11-22 09:26:12.814+00', '2026-11-22 09:26:12.862+00', NULL, NULL);

INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d133-7601-aae5-062e8f785a91', 'workspaces.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'workspace', 'ws_01m8197m8bej58vkxngep6wnvf', '127.0.0.1', 'req_01m8197m70e4ba1xp5zw1z0w8w', '{"name": "Acme Straße 東京", "slug": "acme-stra-e"}', '2026-11-22 09:26:11.507+00');
INSERT INTO public.audit_log VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', '01a20293-d16b-7333-8b05-ffe5ab3ace31', 'workspaces.create', 'user', 'usr_01m8197kwveg29twpcdv9qzt30', 'Bob', 'workspace', 'ws_01m8197mawe2nb671d8hpxnnyc', '127.0.0.1', 'req_01m8197ma6e4ba5j9f3gspnxk9', '{"name": "Bob’s own", "slug": "bob-s-own"}', '2026-11-22 09:26:11.563+00');
INSERT INTO public.audit_log VALUES ('01a20293-d179-74f8-bb00-285eb96a3f49', '01a20293-d193-7437-925c-de553a13637c', 'workspaces.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'workspace', 'ws_01m8197mbsekwbp018btwpmft9', '127.0.0.1', 'req_01m8197mbke4baxj21cxvabrry', '{"name": "Gone", "slug": "gone"}', '2026-11-22 09:26:11.603+00');
INSERT INTO public.audit_log VALUES ('01a20293-d179-74f8-bb00-285eb96a3f49', '01a20293-d1d1-7246-abf2-694853fdd51b', 'workspaces.delete', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'workspace', 'ws_01m8197mbsekwbp018btwpmft9', '127.0.0.1', 'req_01m8197mcze4ba7rwpzz92cqbf', '{}', '2026-11-22 09:26:11.665+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d20f-76bf-b6a7-78280b37d193', 'invitations.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'invitation', 'inv_01m8197mg9eger7pwmxcww64bs', '127.0.0.1', 'req_01m8197mfbe4babczt33yt3t21', '{"role": "developer", "email": "bob@example.com"}', '2026-11-22 09:26:11.727+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d232-73dc-9528-d05c4cd5ea0a', 'invitations.accept', 'user', 'usr_01m8197kwveg29twpcdv9qzt30', 'Bob', 'invitation', 'inv_01m8197mg9eger7pwmxcww64bs', '127.0.0.1', 'req_01m8197mgte4ba7tr1n124xs01', '{"role": "developer"}', '2026-11-22 09:26:11.762+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d245-753d-a5f7-df69b3c9bb56', 'invitations.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'invitation', 'inv_01m8197mj2eq78hppan6yatcd8', '127.0.0.1', 'req_01m8197mhwe4ba8qekc2ph2ka6', '{"role": "viewer", "email": "carol@example.com"}', '2026-11-22 09:26:11.781+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d25e-720d-9fc7-814e31b5dc4c', 'invitations.accept', 'user', 'usr_01m8197m5yecbvbw5xabktncp1', 'Carol', 'invitation', 'inv_01m8197mj2eq78hppan6yatcd8', '127.0.0.1', 'req_01m8197mjce4baqgqq7537tnff', '{"role": "viewer"}', '2026-11-22 09:26:11.806+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d270-750c-971f-a85a34443e06', 'invitations.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'invitation', 'inv_01m8197mkeeq085zq4qv9jf87c', '127.0.0.1', 'req_01m8197mk5e4ba85ra7n6nwdt3', '{"role": "admin", "email": "dave@example.com"}', '2026-11-22 09:26:11.824+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d285-7364-b913-5ab3d2b9879b', 'invitations.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'invitation', 'inv_01m8197mm2evqskpg803dwe3xy', '127.0.0.1', 'req_01m8197mkse4baz9zswqnvjyaw', '{"role": "viewer", "email": "eve@example.com"}', '2026-11-22 09:26:11.845+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d291-779e-bee8-5e205fe19703', 'invitations.revoke', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'invitation', 'inv_01m8197mm2evqskpg803dwe3xy', '127.0.0.1', 'req_01m8197mmae4ba6sq3yaz3jqn0', '{"email": "eve@example.com"}', '2026-11-22 09:26:11.857+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d2a3-7707-b4ad-3bf16bebe8ad', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197mmte9mt24qvv1ttyq88', '127.0.0.1', 'req_01m8197mmne4ba70kmrjn18cw6', '{"name": "Full", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"]}', '2026-11-22 09:26:11.875+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d358-731a-92e6-7d7d470b84b8', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197mt6e31vqqpkr8sb7wey', '127.0.0.1', 'req_01m8197mq3e4ba0w7215xfvcp7', '{"name": "Reader", "scopes": ["events:read"]}', '2026-11-22 09:26:12.056+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d37b-71c0-9ef5-09bc7139e41f', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197mvbeh0bgjm58bsnhtsy', '127.0.0.1', 'req_01m8197mv5e4bafcwgb1n9k8k2', '{"name": "Shop", "scopes": ["links:create"]}', '2026-11-22 09:26:12.091+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3bc-71a3-b5a1-29cfd66f6f4c', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', '127.0.0.1', 'req_01m8197mx6e4ba3r8emrav0gsc', '{"name": "Writer", "scopes": ["api_keys:read", "api_keys:write", "links:read", "events:read"]}', '2026-11-22 09:26:12.156+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3d2-709f-a76d-743d39347186', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197my8evw8wd7h5s4d3e7d', '127.0.0.1', 'req_01m8197my7e4badqw9bmsywrs0', '{"name": "Revoked", "scopes": ["links:read", "links:write", "domains:read", "domains:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "links:create"]}', '2026-11-22 09:26:12.178+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d404-7278-b19f-3087240a4114', 'api_keys.revoke', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197my8evw8wd7h5s4d3e7d', '127.0.0.1', 'req_01m8197mywe4baqzck4ymfchcv', '{}', '2026-11-22 09:26:12.228+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d423-77b1-acd9-c59414c421f3', 'api_keys.create', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197n10e3wswd36g6haqr92', '127.0.0.1', 'req_01m8197n0ze4baya6xkdr7ybwv', '{"name": "Rotating", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"]}', '2026-11-22 09:26:12.259+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d432-76b5-8810-59666ed04007', 'api_keys.rotate', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'api_key', 'key_01m8197n10e3wswd36g6haqr92', '127.0.0.1', 'req_01m8197n18e4ba0vcd6qkzeyy0', '{"overlap_seconds": 86400}', '2026-11-22 09:26:12.274+00');
INSERT INTO public.audit_log VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', '01a20293-d44a-7012-8dd0-b4059ab6b7cb', 'api_keys.create', 'user', 'usr_01m8197kwveg29twpcdv9qzt30', 'Bob', 'api_key', 'key_01m8197n27en6s1x36jp54rrss', '127.0.0.1', 'req_01m8197n24e4bae0gz443gvrkw', '{"name": "Bobs", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"]}', '2026-11-22 09:26:12.298+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d45a-73f5-95f6-ddf2e8d6e05e', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n2je8jt78s9yy0x7hyh', '127.0.0.1', 'req_01m8197n2de4ba232x9dph2jdy', '{"name": "Once", "scopes": ["links:read"]}', '2026-11-22 09:26:12.314+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d465-76d0-b1c8-7637b6f5c659', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n31e91ba25xft2xqf46', '127.0.0.1', 'req_01m8197n30e4bazzj7bba3r8gb', '{"name": "Key 0", "scopes": ["events:read"]}', '2026-11-22 09:26:12.325+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d46d-73bb-a630-68b81943081b', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n31e91ba25xft2xqf46', '127.0.0.1', 'req_01m8197n37e4baf65n1e7np146', '{"changed": ["name"]}', '2026-11-22 09:26:12.333+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d480-75b8-a1e6-4f53ae50a0f9', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n3web3abd391298aah1', '127.0.0.1', 'req_01m8197n3ve4babnkf9vaxbnzz', '{"name": "Key 1", "scopes": ["events:read"]}', '2026-11-22 09:26:12.352+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d488-7304-b98f-76c66005eae6', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n3web3abd391298aah1', '127.0.0.1', 'req_01m8197n44e4ba1nhaneym6bad', '{"changed": ["name"]}', '2026-11-22 09:26:12.36+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d48f-70e1-8378-348ba2bacb78', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n4ceqaazndcf5c32m3g', '127.0.0.1', 'req_01m8197n4be4badwmc2v28xe4c', '{"name": "Key 2", "scopes": ["events:read"]}', '2026-11-22 09:26:12.367+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d499-735f-aea2-21c75804e92c', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n4ceqaazndcf5c32m3g', '127.0.0.1', 'req_01m8197n4ke4ba496f7f5qmmnv', '{"changed": ["name"]}', '2026-11-22 09:26:12.377+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4a0-764c-a5ba-a0b6f61cef90', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n4xeht91faz2qsw5apx', '127.0.0.1', 'req_01m8197n4ve4bajx3d02zyvh4a', '{"name": "Key 3", "scopes": ["events:read"]}', '2026-11-22 09:26:12.384+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4ab-726e-b9f1-2a1ce3070eac', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n4xeht91faz2qsw5apx', '127.0.0.1', 'req_01m8197n54e4ba30de87g6f3mj', '{"changed": ["name"]}', '2026-11-22 09:26:12.395+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4b2-7149-a724-81ec6658ce47', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n5fepw949vcm4xhg7fg', '127.0.0.1', 'req_01m8197n5fe4baftv1ms4nf45x', '{"name": "Key 4", "scopes": ["events:read"]}', '2026-11-22 09:26:12.402+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4bb-7152-883b-d6bd525c8b03', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n5fepw949vcm4xhg7fg', '127.0.0.1', 'req_01m8197n5ne4bamdq9h78ka3km', '{"changed": ["name"]}', '2026-11-22 09:26:12.412+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4c7-7564-8ba1-1e185ab24663', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n61e98v85s2gweff7yk', '127.0.0.1', 'req_01m8197n5ze4bavzwkh2tet0af', '{"name": "Key 5", "scopes": ["events:read"]}', '2026-11-22 09:26:12.423+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4d8-7772-8046-8be559148ddf', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n61e98v85s2gweff7yk', '127.0.0.1', 'req_01m8197n6ge4bad80z4tx687sv', '{"changed": ["name"]}', '2026-11-22 09:26:12.44+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4e3-76a1-9833-ff85344a991b', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n71eqbvfmzjf1jbqgjv', '127.0.0.1', 'req_01m8197n6ye4bat4dqg42nrm5e', '{"name": "Key 6", "scopes": ["events:read"]}', '2026-11-22 09:26:12.451+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4e9-77e2-8c4d-ab1c5b17342f', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n71eqbvfmzjf1jbqgjv', '127.0.0.1', 'req_01m8197n75e4bazkb2vmpyq25s', '{"changed": ["name"]}', '2026-11-22 09:26:12.457+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4f1-7027-9e98-fa08b8279fd0', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n7eeqn8bwp9va37p286', '127.0.0.1', 'req_01m8197n7de4bate7v1319zkz6', '{"name": "Key 7", "scopes": ["events:read"]}', '2026-11-22 09:26:12.465+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4ff-7401-917a-c2fb5dff564c', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n7eeqn8bwp9va37p286', '127.0.0.1', 'req_01m8197n7qe4ba5vynn76vvfye', '{"changed": ["name"]}', '2026-11-22 09:26:12.479+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d507-7348-91e9-0eeabf8c0741', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n85e4cb15jvgf9dsf6v', '127.0.0.1', 'req_01m8197n82e4bar3mw45086kys', '{"name": "Key 8", "scopes": ["events:read"]}', '2026-11-22 09:26:12.488+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d529-75f3-a8e9-062851135a45', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197n85e4cb15jvgf9dsf6v', '127.0.0.1', 'req_01m8197n8je4ba76366w8je73x', '{"changed": ["name"]}', '2026-11-22 09:26:12.521+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d55d-7370-968a-4305397e8b80', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197nagexz8kmpq5t15ttmq', '127.0.0.1', 'req_01m8197naee4ba9kb8tp49tved', '{"name": "Key 9", "scopes": ["events:read"]}', '2026-11-22 09:26:12.573+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d5a6-7334-869d-eeebbe78e4e7', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197nagexz8kmpq5t15ttmq', '127.0.0.1', 'req_01m8197nbge4bazqndxepkztqy', '{"changed": ["name"]}', '2026-11-22 09:26:12.647+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d5f0-74fa-b0c4-275cb446851d', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197neye889d83hevhr3q4p', '127.0.0.1', 'req_01m8197ne6e4bar9tgp45jxx8s', '{"name": "Key 10", "scopes": ["events:read"]}', '2026-11-22 09:26:12.72+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d626-72cf-9643-e203e2ee20b8', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197neye889d83hevhr3q4p', '127.0.0.1', 'req_01m8197nfte4baxqvkrfz7bp2z', '{"changed": ["name"]}', '2026-11-22 09:26:12.774+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d65b-755d-a2c5-fbb1143f104d', 'api_keys.create', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197njeen7r7vmraw9bmhtb', '127.0.0.1', 'req_01m8197nhse4ba5dajpdcd5bs5', '{"name": "Key 11", "scopes": ["events:read"]}', '2026-11-22 09:26:12.827+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d683-73dd-8497-ae5763fff063', 'api_keys.update', 'api_key', 'key_01m8197mxfeh0a4yyqy6e9x6h9', 'Writer', 'api_key', 'key_01m8197njeen7r7vmraw9bmhtb', '127.0.0.1', 'req_01m8197nkae4baqw2vpxvvqhs4', '{"changed": ["name"]}', '2026-11-22 09:26:12.867+00');
INSERT INTO public.audit_log VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d6eb-760e-9610-263ed5f2aef4', 'members.update', 'user', 'usr_01m8197ka2e23a1ge25gq108v0', 'Ada', 'member', 'usr_01m8197m5yecbvbw5xabktncp1', '127.0.0.1', 'req_01m8197npxe4bawqpj4agfgqpv', '{"role": "admin"}', '2026-11-22 09:26:12.971+00');

INSERT INTO public.auth_attempts VALUES ('\x194d592cf8d8c3ac22592e80b3f53603b1361830ad86c572c98cf4f5bc47a42c', 1, '2026-11-22 10:26:09.443604+00');
INSERT INTO public.auth_attempts VALUES ('\xf0d9b660a9ea8338a48fe99a0a69183e1bf0e07a708facd06985b5fd925554ac', 1, '2026-11-22 10:26:10.585414+00');
INSERT INTO public.auth_attempts VALUES ('\x1b2bd16c0128b64703ef34cfd663312747ecc7940f5348d1b160ccfb6014704e', 1, '2026-11-22 10:26:11.122967+00');
INSERT INTO public.auth_attempts VALUES ('\xac068f94ca8496fdf396b0bea943e0f81eca18e1f396e60a04f39f41ad698296', 3, '2026-11-22 10:26:09.443604+00');

INSERT INTO public.auth_epoch VALUES (true, 18);

INSERT INTO public.events VALUES ('01a20293-d11a-756f-b215-1234cc116cb9', '01a20293-d10b-748a-8dcf-b583ac6e576f', 1, 'workspace.created', 'ws_01m8197m8bej58vkxngep6wnvf', '{"object": {"id": "ws_01m8197m8bej58vkxngep6wnvf", "name": "Acme Straße 東京", "role": null, "slug": "acme-stra-e", "object": "workspace", "metadata": {"note": "it''s \\ \n a \"note\"", "plan": "pro"}, "created_at": "2026-11-22T09:26:11.468Z", "updated_at": "2026-11-22T09:26:11.468Z"}}', false, '2026-11-22 09:26:11.482+00');
INSERT INTO public.events VALUES ('01a20293-d132-750c-a868-939114a61364', '01a20293-d10b-748a-8dcf-b583ac6e576f', 2, 'member.added', 'usr_01m8197ka2e23a1ge25gq108v0', '{"object": {"id": "usr_01m8197ka2e23a1ge25gq108v0", "name": "Ada", "role": "owner", "email": "ada@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.496Z", "updated_at": "2026-11-22T09:26:11.496Z"}}', false, '2026-11-22 09:26:11.506+00');
INSERT INTO public.events VALUES ('01a20293-d163-70fe-ba97-5bff8cb56eef', '01a20293-d15c-70aa-b31c-2d446ddad7cc', 1, 'workspace.created', 'ws_01m8197mawe2nb671d8hpxnnyc', '{"object": {"id": "ws_01m8197mawe2nb671d8hpxnnyc", "name": "Bob’s own", "role": null, "slug": "bob-s-own", "object": "workspace", "metadata": {}, "created_at": "2026-11-22T09:26:11.548Z", "updated_at": "2026-11-22T09:26:11.548Z"}}', false, '2026-11-22 09:26:11.555+00');
INSERT INTO public.events VALUES ('01a20293-d169-706f-902d-62664987d63a', '01a20293-d15c-70aa-b31c-2d446ddad7cc', 2, 'member.added', 'usr_01m8197kwveg29twpcdv9qzt30', '{"object": {"id": "usr_01m8197kwveg29twpcdv9qzt30", "name": "Bob", "role": "owner", "email": "bob@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.556Z", "updated_at": "2026-11-22T09:26:11.556Z"}}', false, '2026-11-22 09:26:11.561+00');
INSERT INTO public.events VALUES ('01a20293-d182-700c-9812-a144e54f1546', '01a20293-d179-74f8-bb00-285eb96a3f49', 1, 'workspace.created', 'ws_01m8197mbsekwbp018btwpmft9', '{"object": {"id": "ws_01m8197mbsekwbp018btwpmft9", "name": "Gone", "role": null, "slug": "gone", "object": "workspace", "metadata": {}, "created_at": "2026-11-22T09:26:11.577Z", "updated_at": "2026-11-22T09:26:11.577Z"}}', false, '2026-11-22 09:26:11.586+00');
INSERT INTO public.events VALUES ('01a20293-d192-71e5-98d4-b4f82b81505f', '01a20293-d179-74f8-bb00-285eb96a3f49', 2, 'member.added', 'usr_01m8197ka2e23a1ge25gq108v0', '{"object": {"id": "usr_01m8197ka2e23a1ge25gq108v0", "name": "Ada", "role": "owner", "email": "ada@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.594Z", "updated_at": "2026-11-22T09:26:11.594Z"}}', false, '2026-11-22 09:26:11.602+00');
INSERT INTO public.events VALUES ('01a20293-d1b0-722b-932f-f6f45fc0b048', '01a20293-d179-74f8-bb00-285eb96a3f49', 3, 'workspace.deleted', 'ws_01m8197mbsekwbp018btwpmft9', '{"object": {"id": "ws_01m8197mbsekwbp018btwpmft9", "name": "Gone", "role": null, "slug": "gone", "object": "workspace", "metadata": {}, "created_at": "2026-11-22T09:26:11.577Z", "updated_at": "2026-11-22T09:26:11.630Z"}}', false, '2026-11-22 09:26:11.632+00');
INSERT INTO public.events VALUES ('01a20293-d20d-7438-a7df-4559e2c18eb6', '01a20293-d10b-748a-8dcf-b583ac6e576f', 3, 'invitation.created', 'inv_01m8197mg9eger7pwmxcww64bs', '{"object": {"id": "inv_01m8197mg9eger7pwmxcww64bs", "url": null, "role": "developer", "email": "bob@example.com", "state": "pending", "object": "invitation", "created_at": "2026-11-22T09:26:11.721Z", "expires_at": "2026-11-29T09:26:11.721Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.721Z", "accepted_by": null}}', false, '2026-11-22 09:26:11.725+00');
INSERT INTO public.events VALUES ('01a20293-d228-70e2-9519-231c6dddf78f', '01a20293-d10b-748a-8dcf-b583ac6e576f', 4, 'invitation.accepted', 'inv_01m8197mg9eger7pwmxcww64bs', '{"object": {"id": "inv_01m8197mg9eger7pwmxcww64bs", "url": null, "role": "developer", "email": "bob@example.com", "state": "accepted", "object": "invitation", "created_at": "2026-11-22T09:26:11.721Z", "expires_at": "2026-11-29T09:26:11.721Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.750Z", "accepted_by": "usr_01m8197kwveg29twpcdv9qzt30"}}', false, '2026-11-22 09:26:11.752+00');
INSERT INTO public.events VALUES ('01a20293-d231-70a9-826e-261bff4aae67', '01a20293-d10b-748a-8dcf-b583ac6e576f', 5, 'member.added', 'usr_01m8197kwveg29twpcdv9qzt30', '{"object": {"id": "usr_01m8197kwveg29twpcdv9qzt30", "name": "Bob", "role": "developer", "email": "bob@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.757Z", "updated_at": "2026-11-22T09:26:11.757Z"}}', false, '2026-11-22 09:26:11.761+00');
INSERT INTO public.events VALUES ('01a20293-d243-76aa-b358-08007d942240', '01a20293-d10b-748a-8dcf-b583ac6e576f', 6, 'invitation.created', 'inv_01m8197mj2eq78hppan6yatcd8', '{"object": {"id": "inv_01m8197mj2eq78hppan6yatcd8", "url": null, "role": "viewer", "email": "carol@example.com", "state": "pending", "object": "invitation", "created_at": "2026-11-22T09:26:11.778Z", "expires_at": "2026-11-29T09:26:11.778Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.778Z", "accepted_by": null}}', false, '2026-11-22 09:26:11.779+00');
INSERT INTO public.events VALUES ('01a20293-d25b-7206-916b-edd4c1e4c0aa', '01a20293-d10b-748a-8dcf-b583ac6e576f', 7, 'invitation.accepted', 'inv_01m8197mj2eq78hppan6yatcd8', '{"object": {"id": "inv_01m8197mj2eq78hppan6yatcd8", "url": null, "role": "viewer", "email": "carol@example.com", "state": "accepted", "object": "invitation", "created_at": "2026-11-22T09:26:11.778Z", "expires_at": "2026-11-29T09:26:11.778Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.803Z", "accepted_by": "usr_01m8197m5yecbvbw5xabktncp1"}}', false, '2026-11-22 09:26:11.803+00');
INSERT INTO public.events VALUES ('01a20293-d25d-7321-bcad-e75f103b6966', '01a20293-d10b-748a-8dcf-b583ac6e576f', 8, 'member.added', 'usr_01m8197m5yecbvbw5xabktncp1', '{"object": {"id": "usr_01m8197m5yecbvbw5xabktncp1", "name": "Carol", "role": "viewer", "email": "carol@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.804Z", "updated_at": "2026-11-22T09:26:11.804Z"}}', false, '2026-11-22 09:26:11.805+00');
INSERT INTO public.events VALUES ('01a20293-d26f-7251-a094-d573b66e08cb', '01a20293-d10b-748a-8dcf-b583ac6e576f', 9, 'invitation.created', 'inv_01m8197mkeeq085zq4qv9jf87c', '{"object": {"id": "inv_01m8197mkeeq085zq4qv9jf87c", "url": null, "role": "admin", "email": "dave@example.com", "state": "pending", "object": "invitation", "created_at": "2026-11-22T09:26:11.822Z", "expires_at": "2026-11-29T09:26:11.822Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.822Z", "accepted_by": null}}', false, '2026-11-22 09:26:11.823+00');
INSERT INTO public.events VALUES ('01a20293-d283-71f1-a79b-dcd77272e3e9', '01a20293-d10b-748a-8dcf-b583ac6e576f', 10, 'invitation.created', 'inv_01m8197mm2evqskpg803dwe3xy', '{"object": {"id": "inv_01m8197mm2evqskpg803dwe3xy", "url": null, "role": "viewer", "email": "eve@example.com", "state": "pending", "object": "invitation", "created_at": "2026-11-22T09:26:11.842Z", "expires_at": "2026-11-29T09:26:11.842Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.842Z", "accepted_by": null}}', false, '2026-11-22 09:26:11.843+00');
INSERT INTO public.events VALUES ('01a20293-d28e-73ee-ba65-48072c4212d0', '01a20293-d10b-748a-8dcf-b583ac6e576f', 11, 'invitation.revoked', 'inv_01m8197mm2evqskpg803dwe3xy', '{"object": {"id": "inv_01m8197mm2evqskpg803dwe3xy", "url": null, "role": "viewer", "email": "eve@example.com", "state": "revoked", "object": "invitation", "created_at": "2026-11-22T09:26:11.842Z", "expires_at": "2026-11-29T09:26:11.842Z", "invited_by": "usr_01m8197ka2e23a1ge25gq108v0", "updated_at": "2026-11-22T09:26:11.853Z", "accepted_by": null}}', false, '2026-11-22 09:26:11.854+00');
INSERT INTO public.events VALUES ('01a20293-d379-749d-88b0-33044d5707b1', '01a20293-d10b-748a-8dcf-b583ac6e576f', 14, 'api_key.created', 'key_01m8197mvbeh0bgjm58bsnhtsy', '{"object": {"id": "key_01m8197mvbeh0bgjm58bsnhtsy", "name": "Shop", "last4": "IqeB", "state": "active", "object": "api_key", "prefix": "fl_8Aep", "preset": null, "scopes": ["links:create"], "metadata": {}, "created_at": "2026-11-22T09:26:12.075Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": "2027-01-01T09:26:12.066Z", "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.075Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": ["https://shop.example.com"], "last_used_operation": null}}', false, '2026-11-22 09:26:12.089+00');
INSERT INTO public.events VALUES ('01a20293-d2a2-7221-a342-c98ef9fb2f59', '01a20293-d10b-748a-8dcf-b583ac6e576f', 12, 'api_key.created', 'key_01m8197mmte9mt24qvv1ttyq88', '{"object": {"id": "key_01m8197mmte9mt24qvv1ttyq88", "name": "Full", "last4": "zKQi", "state": "active", "object": "api_key", "prefix": "fl_nTpN", "preset": "full", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"], "metadata": {}, "created_at": "2026-11-22T09:26:11.865Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": null, "revoked_at": null, "updated_at": "2026-11-22T09:26:11.865Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:11.874+00');
INSERT INTO public.events VALUES ('01a20293-d354-71bc-a6fe-c18124485255', '01a20293-d10b-748a-8dcf-b583ac6e576f', 13, 'api_key.created', 'key_01m8197mt6e31vqqpkr8sb7wey', '{"object": {"id": "key_01m8197mt6e31vqqpkr8sb7wey", "name": "Reader", "last4": "zQQh", "state": "active", "object": "api_key", "prefix": "fl_6HjE", "preset": null, "scopes": ["events:read"], "metadata": {"team": "ops"}, "created_at": "2026-11-22T09:26:11.968Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": "2027-01-01T09:26:11.896Z", "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:11.968Z", "allowed_ips": ["127.0.0.0/8", "::1/128"], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.052+00');
INSERT INTO public.events VALUES ('01a20293-d403-7280-b0c0-8ed3fdc2f548', '01a20293-d10b-748a-8dcf-b583ac6e576f', 17, 'api_key.revoked', 'key_01m8197my8evw8wd7h5s4d3e7d', '{"object": {"id": "key_01m8197my8evw8wd7h5s4d3e7d", "name": "Revoked", "last4": "kNzz", "state": "revoked", "object": "api_key", "prefix": "fl_zUnE", "preset": "links", "scopes": ["links:read", "links:write", "domains:read", "domains:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "links:create"], "metadata": {}, "created_at": "2026-11-22T09:26:12.168Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": "2026-11-22T09:26:12.202Z", "updated_at": "2026-11-22T09:26:12.202Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.227+00');
INSERT INTO public.events VALUES ('01a20293-d422-7569-85c8-aee489e97cc9', '01a20293-d10b-748a-8dcf-b583ac6e576f', 18, 'api_key.created', 'key_01m8197n10e3wswd36g6haqr92', '{"object": {"id": "key_01m8197n10e3wswd36g6haqr92", "name": "Rotating", "last4": "ssTe", "state": "active", "object": "api_key", "prefix": "fl_zhh8", "preset": "full", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"], "metadata": {}, "created_at": "2026-11-22T09:26:12.256Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.256Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.258+00');
INSERT INTO public.events VALUES ('01a20293-d4aa-7452-a128-3b715d3a4cbe', '01a20293-d10b-748a-8dcf-b583ac6e576f', 28, 'api_key.updated', 'key_01m8197n4xeht91faz2qsw5apx', '{"object": {"id": "key_01m8197n4xeht91faz2qsw5apx", "name": "Key 3 renamed", "last4": "2AeA", "state": "active", "object": "api_key", "prefix": "fl_mxfl", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.381Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.390Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 3"}}', false, '2026-11-22 09:26:12.394+00');
INSERT INTO public.events VALUES ('01a20293-d4b1-73a3-863a-99c68811fca9', '01a20293-d10b-748a-8dcf-b583ac6e576f', 29, 'api_key.created', 'key_01m8197n5fepw949vcm4xhg7fg', '{"object": {"id": "key_01m8197n5fepw949vcm4xhg7fg", "name": "Key 4", "last4": "0aJm", "state": "active", "object": "api_key", "prefix": "fl_4eEv", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.399Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.399Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.401+00');
INSERT INTO public.events VALUES ('01a20293-d4bb-7152-883b-d0fbf904d4ca', '01a20293-d10b-748a-8dcf-b583ac6e576f', 30, 'api_key.updated', 'key_01m8197n5fepw949vcm4xhg7fg', '{"object": {"id": "key_01m8197n5fepw949vcm4xhg7fg", "name": "Key 4 renamed", "last4": "0aJm", "state": "active", "object": "api_key", "prefix": "fl_4eEv", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.399Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.409Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 4"}}', false, '2026-11-22 09:26:12.411+00');
INSERT INTO public.events VALUES ('01a20293-d4c5-74e2-9f9e-29eacfe5561c', '01a20293-d10b-748a-8dcf-b583ac6e576f', 31, 'api_key.created', 'key_01m8197n61e98v85s2gweff7yk', '{"object": {"id": "key_01m8197n61e98v85s2gweff7yk", "name": "Key 5", "last4": "h8Wd", "state": "active", "object": "api_key", "prefix": "fl_RpPx", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.417Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.417Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.421+00');
INSERT INTO public.events VALUES ('01a20293-d4fb-7589-9565-07f039e9be7a', '01a20293-d10b-748a-8dcf-b583ac6e576f', 36, 'api_key.updated', 'key_01m8197n7eeqn8bwp9va37p286', '{"object": {"id": "key_01m8197n7eeqn8bwp9va37p286", "name": "Key 7 renamed", "last4": "Ekj4", "state": "active", "object": "api_key", "prefix": "fl_OoFs", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.462Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.473Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 7"}}', false, '2026-11-22 09:26:12.475+00');
INSERT INTO public.events VALUES ('01a20293-d3bb-73a7-b83b-b9cb13de04a5', '01a20293-d10b-748a-8dcf-b583ac6e576f', 15, 'api_key.created', 'key_01m8197mxfeh0a4yyqy6e9x6h9', '{"object": {"id": "key_01m8197mxfeh0a4yyqy6e9x6h9", "name": "Writer", "last4": "OPtN", "state": "active", "object": "api_key", "prefix": "fl_GgCK", "preset": null, "scopes": ["api_keys:read", "api_keys:write", "links:read", "events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.143Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": null, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.143Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.155+00');
INSERT INTO public.events VALUES ('01a20293-d3d2-709f-a76d-73996518ef8a', '01a20293-d10b-748a-8dcf-b583ac6e576f', 16, 'api_key.created', 'key_01m8197my8evw8wd7h5s4d3e7d', '{"object": {"id": "key_01m8197my8evw8wd7h5s4d3e7d", "name": "Revoked", "last4": "kNzz", "state": "active", "object": "api_key", "prefix": "fl_zUnE", "preset": "links", "scopes": ["links:read", "links:write", "domains:read", "domains:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "links:create"], "metadata": {}, "created_at": "2026-11-22T09:26:12.168Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.168Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.178+00');
INSERT INTO public.events VALUES ('01a20293-d431-74a1-b39f-4e0038ac20e3', '01a20293-d10b-748a-8dcf-b583ac6e576f', 19, 'api_key.rotated', 'key_01m8197n10e3wswd36g6haqr92', '{"object": {"id": "key_01m8197n10e3wswd36g6haqr92", "name": "Rotating", "last4": "xOGe", "state": "active", "object": "api_key", "prefix": "fl_Z2Vi", "preset": "full", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"], "metadata": {}, "created_at": "2026-11-22T09:26:12.256Z", "created_by": "usr_01m8197ka2e23a1ge25gq108v0", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.267Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.273+00');
INSERT INTO public.events VALUES ('01a20293-d449-77db-a632-c6b616567e30', '01a20293-d15c-70aa-b31c-2d446ddad7cc', 3, 'api_key.created', 'key_01m8197n27en6s1x36jp54rrss', '{"object": {"id": "key_01m8197n27en6s1x36jp54rrss", "name": "Bobs", "last4": "VB2P", "state": "active", "object": "api_key", "prefix": "fl_KQ1E", "preset": "full", "scopes": ["workspaces:read", "workspaces:write", "members:read", "members:write", "api_keys:read", "models:read", "models:write", "providers:read", "providers:write", "instances:read", "instances:write", "messages:read", "messages:write", "chats:read", "chats:write", "groups:read", "groups:write", "contacts:read", "contacts:write", "media:read", "media:write", "links:read", "links:write", "domains:read", "domains:write", "publishing:read", "publishing:write", "rules:read", "rules:write", "webhooks:read", "webhooks:write", "events:read", "events:write", "audit:read", "audit:write", "usage:read", "usage:write", "models:invoke", "links:create", "publishing:publish"], "metadata": {}, "created_at": "2026-11-22T09:26:12.295Z", "created_by": "usr_01m8197kwveg29twpcdv9qzt30", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.295Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.297+00');
INSERT INTO public.events VALUES ('01a20293-d459-715f-9f2f-acbe16de8f91', '01a20293-d10b-748a-8dcf-b583ac6e576f', 20, 'api_key.created', 'key_01m8197n2je8jt78s9yy0x7hyh', '{"object": {"id": "key_01m8197n2je8jt78s9yy0x7hyh", "name": "Once", "last4": "uF7G", "state": "active", "object": "api_key", "prefix": "fl_jsn1", "preset": null, "scopes": ["links:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.306Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.306Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.313+00');
INSERT INTO public.events VALUES ('01a20293-d464-779c-886e-efa6c618e5fc', '01a20293-d10b-748a-8dcf-b583ac6e576f', 21, 'api_key.created', 'key_01m8197n31e91ba25xft2xqf46', '{"object": {"id": "key_01m8197n31e91ba25xft2xqf46", "name": "Key 0", "last4": "XJEU", "state": "active", "object": "api_key", "prefix": "fl_l5DL", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.321Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.321Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.324+00');
INSERT INTO public.events VALUES ('01a20293-d46d-73bb-a630-64963850c360', '01a20293-d10b-748a-8dcf-b583ac6e576f', 22, 'api_key.updated', 'key_01m8197n31e91ba25xft2xqf46', '{"object": {"id": "key_01m8197n31e91ba25xft2xqf46", "name": "Key 0 renamed", "last4": "XJEU", "state": "active", "object": "api_key", "prefix": "fl_l5DL", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.321Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.331Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 0"}}', false, '2026-11-22 09:26:12.333+00');
INSERT INTO public.events VALUES ('01a20293-d47e-73de-aea6-5ceaaafbc8a1', '01a20293-d10b-748a-8dcf-b583ac6e576f', 23, 'api_key.created', 'key_01m8197n3web3abd391298aah1', '{"object": {"id": "key_01m8197n3web3abd391298aah1", "name": "Key 1", "last4": "xaD5", "state": "active", "object": "api_key", "prefix": "fl_fZeM", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.348Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.348Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.35+00');
INSERT INTO public.events VALUES ('01a20293-d487-76f8-9005-050463c1cb18', '01a20293-d10b-748a-8dcf-b583ac6e576f', 24, 'api_key.updated', 'key_01m8197n3web3abd391298aah1', '{"object": {"id": "key_01m8197n3web3abd391298aah1", "name": "Key 1 renamed", "last4": "xaD5", "state": "active", "object": "api_key", "prefix": "fl_fZeM", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.348Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.358Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 1"}}', false, '2026-11-22 09:26:12.359+00');
INSERT INTO public.events VALUES ('01a20293-d48e-7689-aada-dcf64e6d8bc6', '01a20293-d10b-748a-8dcf-b583ac6e576f', 25, 'api_key.created', 'key_01m8197n4ceqaazndcf5c32m3g', '{"object": {"id": "key_01m8197n4ceqaazndcf5c32m3g", "name": "Key 2", "last4": "yacf", "state": "active", "object": "api_key", "prefix": "fl_Kkar", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.364Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.364Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.366+00');
INSERT INTO public.events VALUES ('01a20293-d498-7717-bf7b-74a7d2f819f4', '01a20293-d10b-748a-8dcf-b583ac6e576f', 26, 'api_key.updated', 'key_01m8197n4ceqaazndcf5c32m3g', '{"object": {"id": "key_01m8197n4ceqaazndcf5c32m3g", "name": "Key 2 renamed", "last4": "yacf", "state": "active", "object": "api_key", "prefix": "fl_Kkar", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.364Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.373Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 2"}}', false, '2026-11-22 09:26:12.376+00');
INSERT INTO public.events VALUES ('01a20293-d4a0-764c-a5ba-9ecb9467caa6', '01a20293-d10b-748a-8dcf-b583ac6e576f', 27, 'api_key.created', 'key_01m8197n4xeht91faz2qsw5apx', '{"object": {"id": "key_01m8197n4xeht91faz2qsw5apx", "name": "Key 3", "last4": "2AeA", "state": "active", "object": "api_key", "prefix": "fl_mxfl", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.381Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.381Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.384+00');
INSERT INTO public.events VALUES ('01a20293-d4d7-7623-8c2d-5435dc1781e4', '01a20293-d10b-748a-8dcf-b583ac6e576f', 32, 'api_key.updated', 'key_01m8197n61e98v85s2gweff7yk', '{"object": {"id": "key_01m8197n61e98v85s2gweff7yk", "name": "Key 5 renamed", "last4": "h8Wd", "state": "active", "object": "api_key", "prefix": "fl_RpPx", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.417Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.435Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 5"}}', false, '2026-11-22 09:26:12.439+00');
INSERT INTO public.events VALUES ('01a20293-d4e2-7172-920b-bc451b1be27c', '01a20293-d10b-748a-8dcf-b583ac6e576f', 33, 'api_key.created', 'key_01m8197n71eqbvfmzjf1jbqgjv', '{"object": {"id": "key_01m8197n71eqbvfmzjf1jbqgjv", "name": "Key 6", "last4": "Tkys", "state": "active", "object": "api_key", "prefix": "fl_oIiX", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.449Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.449Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.45+00');
INSERT INTO public.events VALUES ('01a20293-d4e9-77e2-8c4d-a70ed07ae8d8', '01a20293-d10b-748a-8dcf-b583ac6e576f', 34, 'api_key.updated', 'key_01m8197n71eqbvfmzjf1jbqgjv', '{"object": {"id": "key_01m8197n71eqbvfmzjf1jbqgjv", "name": "Key 6 renamed", "last4": "Tkys", "state": "active", "object": "api_key", "prefix": "fl_oIiX", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.449Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.455Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 6"}}', false, '2026-11-22 09:26:12.457+00');
INSERT INTO public.events VALUES ('01a20293-d4f1-7027-9e98-f629e95ac83d', '01a20293-d10b-748a-8dcf-b583ac6e576f', 35, 'api_key.created', 'key_01m8197n7eeqn8bwp9va37p286', '{"object": {"id": "key_01m8197n7eeqn8bwp9va37p286", "name": "Key 7", "last4": "Ekj4", "state": "active", "object": "api_key", "prefix": "fl_OoFs", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.462Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.462Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.465+00');
INSERT INTO public.events VALUES ('01a20293-d526-74fa-b96e-c5c21a2d82b5', '01a20293-d10b-748a-8dcf-b583ac6e576f', 38, 'api_key.updated', 'key_01m8197n85e4cb15jvgf9dsf6v', '{"object": {"id": "key_01m8197n85e4cb15jvgf9dsf6v", "name": "Key 8 renamed", "last4": "INCD", "state": "active", "object": "api_key", "prefix": "fl_tKAZ", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.485Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.505Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 8"}}', false, '2026-11-22 09:26:12.518+00');
INSERT INTO public.events VALUES ('01a20293-d55b-727d-896d-e3605c46e5bd', '01a20293-d10b-748a-8dcf-b583ac6e576f', 39, 'api_key.created', 'key_01m8197nagexz8kmpq5t15ttmq', '{"object": {"id": "key_01m8197nagexz8kmpq5t15ttmq", "name": "Key 9", "last4": "9w1I", "state": "active", "object": "api_key", "prefix": "fl_TLYo", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.560Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.560Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.571+00');
INSERT INTO public.events VALUES ('01a20293-d682-72e8-a095-198e88bb1370', '01a20293-d10b-748a-8dcf-b583ac6e576f', 44, 'api_key.updated', 'key_01m8197njeen7r7vmraw9bmhtb', '{"object": {"id": "key_01m8197njeen7r7vmraw9bmhtb", "name": "Key 11 renamed", "last4": "ACKF", "state": "active", "object": "api_key", "prefix": "fl_jCvi", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.814Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.862Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 11"}}', false, '2026-11-22 09:26:12.866+00');
INSERT INTO public.events VALUES ('01a20293-d507-7348-91e9-0b8f45ab42cc', '01a20293-d10b-748a-8dcf-b583ac6e576f', 37, 'api_key.created', 'key_01m8197n85e4cb15jvgf9dsf6v', '{"object": {"id": "key_01m8197n85e4cb15jvgf9dsf6v", "name": "Key 8", "last4": "INCD", "state": "active", "object": "api_key", "prefix": "fl_tKAZ", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.485Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.485Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.487+00');
INSERT INTO public.events VALUES ('01a20293-d5a3-76ff-a76f-119f7c35b46e', '01a20293-d10b-748a-8dcf-b583ac6e576f', 40, 'api_key.updated', 'key_01m8197nagexz8kmpq5t15ttmq', '{"object": {"id": "key_01m8197nagexz8kmpq5t15ttmq", "name": "Key 9 renamed", "last4": "9w1I", "state": "active", "object": "api_key", "prefix": "fl_TLYo", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.560Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.623Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 9"}}', false, '2026-11-22 09:26:12.643+00');
INSERT INTO public.events VALUES ('01a20293-d5ec-77dd-a78d-339b3bc14b77', '01a20293-d10b-748a-8dcf-b583ac6e576f', 41, 'api_key.created', 'key_01m8197neye889d83hevhr3q4p', '{"object": {"id": "key_01m8197neye889d83hevhr3q4p", "name": "Key 10", "last4": "My0Y", "state": "active", "object": "api_key", "prefix": "fl_ItX5", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.702Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.702Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.716+00');
INSERT INTO public.events VALUES ('01a20293-d61d-7796-8d3a-538c2c70d98a', '01a20293-d10b-748a-8dcf-b583ac6e576f', 42, 'api_key.updated', 'key_01m8197neye889d83hevhr3q4p', '{"object": {"id": "key_01m8197neye889d83hevhr3q4p", "name": "Key 10 renamed", "last4": "My0Y", "state": "active", "object": "api_key", "prefix": "fl_ItX5", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.702Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.744Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}, "previous_attributes": {"name": "Key 10"}}', false, '2026-11-22 09:26:12.765+00');
INSERT INTO public.events VALUES ('01a20293-d658-7783-b655-512506aa8d77', '01a20293-d10b-748a-8dcf-b583ac6e576f', 43, 'api_key.created', 'key_01m8197njeen7r7vmraw9bmhtb', '{"object": {"id": "key_01m8197njeen7r7vmraw9bmhtb", "name": "Key 11", "last4": "ACKF", "state": "active", "object": "api_key", "prefix": "fl_jCvi", "preset": null, "scopes": ["events:read"], "metadata": {}, "created_at": "2026-11-22T09:26:12.814Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.814Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}}', false, '2026-11-22 09:26:12.824+00');
INSERT INTO public.events VALUES ('01a20293-d6e9-76cd-ac3b-132f945927d5', '01a20293-d10b-748a-8dcf-b583ac6e576f', 45, 'member.updated', 'usr_01m8197m5yecbvbw5xabktncp1', '{"object": {"id": "usr_01m8197m5yecbvbw5xabktncp1", "name": "Carol", "role": "admin", "email": "carol@example.com", "object": "member", "created_at": "2026-11-22T09:26:11.804Z", "updated_at": "2026-11-22T09:26:12.965Z"}, "previous_attributes": {"role": "viewer"}}', false, '2026-11-22 09:26:12.969+00');

INSERT INTO public.first_user_setup VALUES (true, NULL, NULL);

INSERT INTO public.idempotency_keys VALUES ('key_01m8197mxfeh0a4yyqy6e9x6h9', 'POST /api/v1/api-keys', 'made-before-the-upgrade', '01a20293-d10b-748a-8dcf-b583ac6e576f', '\x50b69e656f1582efbb205cea80cdf7e01abf1cc7f5c908092753fcbca5d71f47', 201, '{"etag": "\"1\""}', '{"id": "key_01m8197n2je8jt78s9yy0x7hyh", "name": "Once", "last4": "uF7G", "state": "active", "object": "api_key", "prefix": "fl_jsn1", "preset": null, "scopes": ["links:read"], "secret": null, "metadata": {}, "created_at": "2026-11-22T09:26:12.306Z", "created_by": "key_01m8197mxfeh0a4yyqy6e9x6h9", "expires_at": null, "rate_limit": {"burst": 120, "limit": 600}, "revoked_at": null, "updated_at": "2026-11-22T09:26:12.306Z", "allowed_ips": [], "last_used_at": null, "last_used_ip": null, "allowed_origins": [], "last_used_operation": null}', '2026-11-22 09:26:12.315+00');

INSERT INTO public.invitations VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d209-741d-83db-94eb39c31179', 'bob@example.com', 'developer', 'accepted', '01a20293-cd42-7086-a0c1-c22c2e102360', '01a20293-cf9b-7404-9d72-cc6ed37fe860', '2026-11-22 09:26:11.721+00', '2026-11-22 09:26:11.75+00', '2026-11-29 09:26:11.721+00', NULL);
INSERT INTO public.invitations VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d242-75ce-88da-caa9bcad31a8', 'carol@example.com', 'viewer', 'accepted', '01a20293-cd42-7086-a0c1-c22c2e102360', '01a20293-d0be-7317-b5f0-bd52e7aab2c1', '2026-11-22 09:26:11.778+00', '2026-11-22 09:26:11.803+00', '2026-11-29 09:26:11.778+00', NULL);
INSERT INTO public.invitations VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d26e-75c0-82fe-e4bed327a0ec', 'dave@example.com', 'admin', 'pending', '01a20293-cd42-7086-a0c1-c22c2e102360', NULL, '2026-11-22 09:26:11.822+00', '2026-11-22 09:26:11.822+00', '2026-11-29 09:26:11.822+00', NULL);
INSERT INTO public.invitations VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d282-76ef-99da-0800dbc70fbe', 'eve@example.com', 'viewer', 'revoked', '01a20293-cd42-7086-a0c1-c22c2e102360', NULL, '2026-11-22 09:26:11.842+00', '2026-11-22 09:26:11.853+00', '2026-11-29 09:26:11.842+00', NULL);

INSERT INTO public.invite_tokens VALUES ('\xe212096369dbe4ee498188ef4ce0ebd8ac9afcaed964adbd226b404ce3c44da7', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d209-741d-83db-94eb39c31179');
INSERT INTO public.invite_tokens VALUES ('\xb9bccc0bde5eafa5859671dfe6a531476d319ea21aae0e9f376a7ed9eb5678b9', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d242-75ce-88da-caa9bcad31a8');
INSERT INTO public.invite_tokens VALUES ('\x155119f5eb5c01d76ca97f3d8dda26c72f770c144fb1e7168b7e79800619cf5d', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d26e-75c0-82fe-e4bed327a0ec');
INSERT INTO public.invite_tokens VALUES ('\x759583d9f7b21f4f1646e0add748caf8167aad304c92d732afaee647142ec0fc', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d282-76ef-99da-0800dbc70fbe');

INSERT INTO public.key_hashes VALUES ('\x529783c54434075fb6faa31fef232bb09c6f53eaf90f99717ed72796f29821c5', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d29a-7269-a112-fbd875af5d08', NULL, '2026-11-22 09:26:11.862756+00');
INSERT INTO public.key_hashes VALUES ('\x82ad20aa54baa9365b57745f28b2b14bf0c5928f0e720dab5148e7a24b834ffc', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d346-70c3-bbde-d3c232b3f1de', NULL, '2026-11-22 09:26:11.94058+00');
INSERT INTO public.key_hashes VALUES ('\xb5dce34ecad59f04ead37659862ef86323423dfe2a2d6400b494be0ec2203e31', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d36b-7440-b84a-8542f358eb3e', NULL, '2026-11-22 09:26:12.074349+00');
INSERT INTO public.key_hashes VALUES ('\xd3ac601e75fbe95ceceefc5ba85782810c082a1c4237050a08ffdf6990fcce30', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3af-7440-a27b-d7f19c9e9a29', NULL, '2026-11-22 09:26:12.143329+00');
INSERT INTO public.key_hashes VALUES ('\xb77787f931269690de1acbacf1f696ca1c4dfd758b514aea5c6d67827df2cf53', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3c8-76f8-8e34-f12e48d1b8ed', NULL, '2026-11-22 09:26:12.168089+00');
INSERT INTO public.key_hashes VALUES ('\xc434e50f648c28d712968686ea31c2ab8dcfa40423ca61b1aede6eb6ac0b52c2', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d420-70f9-9e34-6681a2abe122', '2026-11-23 09:26:12.267+00', '2026-11-22 09:26:12.255977+00');
INSERT INTO public.key_hashes VALUES ('\xd413ffdfa345e43ca906c831b88aa371d8d5daf8a530bb7743742b51f65dfb3d', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d420-70f9-9e34-6681a2abe122', NULL, '2026-11-22 09:26:12.266266+00');
INSERT INTO public.key_hashes VALUES ('\x0b026e4eb92f70773f96ef67aa7457c7e21b8d45aaa8631b8266d25055b420b0', '01a20293-d15c-70aa-b31c-2d446ddad7cc', '01a20293-d447-754d-90f4-66958a4c6339', NULL, '2026-11-22 09:26:12.295443+00');
INSERT INTO public.key_hashes VALUES ('\x2b3cf2e54d16c158731c95eae238139ca5f3cc2b84902fba99531ac407e7403e', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d452-7225-a3a3-29f781d3c7d1', NULL, '2026-11-22 09:26:12.304462+00');
INSERT INTO public.key_hashes VALUES ('\xb3f3f6d29556d07d11cb4c7cfe611d2e987349e8266a1bdda6776edf9cbd0d85', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d461-7242-b508-bd7e85dbbc86', NULL, '2026-11-22 09:26:12.32132+00');
INSERT INTO public.key_hashes VALUES ('\xb9ff3449a7d19e02cd23347997f465c64a6bfdf4f32ed9ced7fe6086e4f2757a', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d47c-72c6-a5b4-690892852a21', NULL, '2026-11-22 09:26:12.348211+00');
INSERT INTO public.key_hashes VALUES ('\x7e2127035edd2fb44746b76b1a104ae8c679d8f5e01cbd1b9944487a15152e9e', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d48c-75d4-afd5-ac7958315070', NULL, '2026-11-22 09:26:12.364197+00');
INSERT INTO public.key_hashes VALUES ('\x6fe3aae48af4087d2b4086b6b76a5534ae7422dad18879dbabb3df2aee7f69de', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d49d-7474-90bd-5f15f3c2aadd', NULL, '2026-11-22 09:26:12.381409+00');
INSERT INTO public.key_hashes VALUES ('\x8d16afde5311af52f89ae65ec1f8955a4c2327524d29f257277991f9bddd7df3', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4af-75b8-9227-6ca13b181df0', NULL, '2026-11-22 09:26:12.399455+00');
INSERT INTO public.key_hashes VALUES ('\x32594a0dee769a8d987d0e9b97f7cb3d2d4a62a04655218b4015a7a276c27629', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4c1-7251-b417-22871cf79fd3', NULL, '2026-11-22 09:26:12.417249+00');
INSERT INTO public.key_hashes VALUES ('\x204a50e76081020f53dc7a21e1481af2f8fc30a944a1b19e79ecccb8ea1c24a4', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4e1-75d7-b7d3-f27864bbc25b', NULL, '2026-11-22 09:26:12.449086+00');
INSERT INTO public.key_hashes VALUES ('\x719d1151481a65feac64d970ec229a7aa98edb7596fadc169e1c33ef326d0313', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d4ee-75ea-85f2-c9da867b0906', NULL, '2026-11-22 09:26:12.462279+00');
INSERT INTO public.key_hashes VALUES ('\xb97ec732e60b724377cea07e6ac6037c28b34b7cf82ea1ebff0bf33623032d2b', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d505-7118-b096-5b83d2dcbcdb', NULL, '2026-11-22 09:26:12.483692+00');
INSERT INTO public.key_hashes VALUES ('\x9e61191a186bdf1553e9fa09072cefdbbbd0f2c0ffae3d82e9982838c6e87901', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d550-777e-89d2-d72e825d6a97', NULL, '2026-11-22 09:26:12.558945+00');
INSERT INTO public.key_hashes VALUES ('\x74b10444ec29bc8ce410e09c93a4593888462df8d7ac32fdcc6b75cb3f64b52c', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d5de-7210-96a0-7176e381dc96', NULL, '2026-11-22 09:26:12.70069+00');
INSERT INTO public.key_hashes VALUES ('\x9267b830f9f5dc55c6948844720a5ccdaca055ab7edcef24d73016418ab46702', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d64e-754f-83ee-985712ba474b', NULL, '2026-11-22 09:26:12.806263+00');

INSERT INTO public.key_origins VALUES ('https://shop.example.com', '01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d36b-7440-b84a-8542f358eb3e');

INSERT INTO public.key_usage VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d346-70c3-bbde-d3c232b3f1de', '2026-11-22 09:26:12.899+00', '127.0.0.1', 'events.list');
INSERT INTO public.key_usage VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d3af-7440-a27b-d7f19c9e9a29', '2026-11-22 09:26:12.844+00', '127.0.0.1', 'api_keys.update');
INSERT INTO public.key_usage VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d420-70f9-9e34-6681a2abe122', '2026-11-22 09:26:12.924+00', '127.0.0.1', 'events.list');
INSERT INTO public.key_usage VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d29a-7269-a112-fbd875af5d08', '2026-11-22 09:26:14.499+00', '127.0.0.1', 'chat.completions');

INSERT INTO public.kysely_migration VALUES ('0001_workspaces_and_events', '2026-11-22T09:26:07.136Z');
INSERT INTO public.kysely_migration VALUES ('0002_identity', '2026-11-22T09:26:07.172Z');
INSERT INTO public.kysely_migration VALUES ('0003_events', '2026-11-22T09:26:07.183Z');
INSERT INTO public.kysely_migration VALUES ('0004_workspaces', '2026-11-22T09:26:07.203Z');
INSERT INTO public.kysely_migration VALUES ('0006_rate_buckets', '2026-11-22T09:26:07.216Z');

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);

INSERT INTO public.members VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-cd42-7086-a0c1-c22c2e102360', 'owner', 1, '2026-11-22 09:26:11.496+00', '2026-11-22 09:26:11.496+00');
INSERT INTO public.members VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', '01a20293-cf9b-7404-9d72-cc6ed37fe860', 'owner', 1, '2026-11-22 09:26:11.556+00', '2026-11-22 09:26:11.556+00');
INSERT INTO public.members VALUES ('01a20293-d179-74f8-bb00-285eb96a3f49', '01a20293-cd42-7086-a0c1-c22c2e102360', 'owner', 1, '2026-11-22 09:26:11.594+00', '2026-11-22 09:26:11.594+00');
INSERT INTO public.members VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-cf9b-7404-9d72-cc6ed37fe860', 'developer', 1, '2026-11-22 09:26:11.757+00', '2026-11-22 09:26:11.757+00');
INSERT INTO public.members VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '01a20293-d0be-7317-b5f0-bd52e7aab2c1', 'admin', 2, '2026-11-22 09:26:11.804+00', '2026-11-22 09:26:12.965+00');

INSERT INTO public.model_usage VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', '2026-11-22', 'key_01m8197mmte9mt24qvv1ttyq88', 'fairlead/echo', 1, 1, 1);

INSERT INTO public.rate_buckets VALUES ('01a20293-cf9b-7404-9d72-cc6ed37fe860', 3000, '2026-11-22 09:26:12.548603+00', '{}');
INSERT INTO public.rate_buckets VALUES ('01a20293-d0be-7317-b5f0-bd52e7aab2c1', 3000, '2026-11-22 09:26:12.805105+00', '{}');
INSERT INTO public.rate_buckets VALUES ('01a20293-d346-70c3-bbde-d3c232b3f1de', 120, '2026-11-22 09:26:14.061581+00', '{}');
INSERT INTO public.rate_buckets VALUES ('01a20293-d420-70f9-9e34-6681a2abe122', 120, '2026-11-22 09:26:14.062224+00', '{}');
INSERT INTO public.rate_buckets VALUES ('01a20293-cd42-7086-a0c1-c22c2e102360', 3000, '2026-11-22 09:26:14.062683+00', '{}');

INSERT INTO public.secret_checks VALUES (true, 'v1.9a427c93.0vQ56hPsERLwR52RZUUyCXfd1TIB659xbf1yPzniMqHjc4Ug');

INSERT INTO public.sessions VALUES ('01a20293-cd57-7064-a03f-df430775560f', '01a20293-cd42-7086-a0c1-c22c2e102360', 'kvWpGY6JfqevjWPb3etTLVQ4sdb37COzDr4XGwfcGk0', '2026-11-29 09:26:10.518+00', '127.0.0.1', 'node', '2026-11-22 09:26:10.518+00', '2026-11-22 09:26:10.518+00');
INSERT INTO public.sessions VALUES ('01a20293-cfa1-75d5-bef4-b775c2429a2a', '01a20293-cf9b-7404-9d72-cc6ed37fe860', 'MKWRSzzpmMKSeQB8hBhKqktt3JV8TSJ_LKu54yxPdJM', '2026-11-29 09:26:11.105+00', '127.0.0.1', 'node', '2026-11-22 09:26:11.105+00', '2026-11-22 09:26:11.105+00');
INSERT INTO public.sessions VALUES ('01a20293-d0c6-703f-b806-0a3ddf7d78d3', '01a20293-d0be-7317-b5f0-bd52e7aab2c1', 'jirazrOENT_x4xz2MXWWBftOeU1rzFd75CUcjOV2kG0', '2026-11-29 09:26:11.398+00', '127.0.0.1', 'node', '2026-11-22 09:26:11.398+00', '2026-11-22 09:26:11.398+00');

INSERT INTO public.users VALUES ('01a20293-cd42-7086-a0c1-c22c2e102360', 'Ada', 'ada@example.com', false, '2026-11-22 09:26:10.482+00', '2026-11-22 09:26:10.482+00', NULL);
INSERT INTO public.users VALUES ('01a20293-cf9b-7404-9d72-cc6ed37fe860', 'Bob', 'bob@example.com', false, '2026-11-22 09:26:11.099+00', '2026-11-22 09:26:11.099+00', NULL);
INSERT INTO public.users VALUES ('01a20293-d0be-7317-b5f0-bd52e7aab2c1', 'Carol', 'carol@example.com', false, '2026-11-22 09:26:11.39+00', '2026-11-22 09:26:11.39+00', NULL);

INSERT INTO public.workspace_sequences VALUES ('01a20293-d179-74f8-bb00-285eb96a3f49', 3, 0);
INSERT INTO public.workspace_sequences VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', 3, 0);
INSERT INTO public.workspace_sequences VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', 45, 0);

INSERT INTO public.workspaces VALUES ('01a20293-d10b-748a-8dcf-b583ac6e576f', 'Acme Straße 東京', 'acme-stra-e', 1, '{"note": "it''s \\ \n a \"note\"", "plan": "pro"}', '2026-11-22 09:26:11.468+00', '2026-11-22 09:26:11.468+00', NULL);
INSERT INTO public.workspaces VALUES ('01a20293-d15c-70aa-b31c-2d446ddad7cc', 'Bob’s own', 'bob-s-own', 1, '{}', '2026-11-22 09:26:11.548+00', '2026-11-22 09:26:11.548+00', NULL);
INSERT INTO public.workspaces VALUES ('01a20293-d179-74f8-bb00-285eb96a3f49', 'Gone', 'gone', 1, '{}', '2026-11-22 09:26:11.577+00', '2026-11-22 09:26:11.63+00', '2026-11-22 09:26:11.63+00');

SELECT pg_catalog.setval('public.outbox_n_seq', 51, true);

ALTER TABLE ONLY pgboss.bam
    ADD CONSTRAINT bam_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pgboss.instance
    ADD CONSTRAINT instance_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT job_common_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.job_dependency
    ADD CONSTRAINT job_dependency_pkey PRIMARY KEY (child_name, child_id, parent_name, parent_id);

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);

ALTER TABLE ONLY pgboss.queue_stats
    ADD CONSTRAINT queue_stats_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.queue_stats_20261122
    ADD CONSTRAINT queue_stats_20261122_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.queue_stats_20261123
    ADD CONSTRAINT queue_stats_20261123_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name, key);

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name);

ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version);

ALTER TABLE ONLY pgboss.warning
    ADD CONSTRAINT warning_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.auth_attempts
    ADD CONSTRAINT auth_attempts_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.auth_epoch
    ADD CONSTRAINT auth_epoch_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261122
    ADD CONSTRAINT events_20261122_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261123
    ADD CONSTRAINT events_20261123_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261124
    ADD CONSTRAINT events_20261124_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261125
    ADD CONSTRAINT events_20261125_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261126
    ADD CONSTRAINT events_20261126_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261127
    ADD CONSTRAINT events_20261127_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261128
    ADD CONSTRAINT events_20261128_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_20261129
    ADD CONSTRAINT events_20261129_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.events_default
    ADD CONSTRAINT events_default_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.first_user_setup
    ADD CONSTRAINT first_user_setup_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (actor, operation, key);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.invite_tokens
    ADD CONSTRAINT invite_tokens_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.key_hashes
    ADD CONSTRAINT key_hashes_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.key_origins
    ADD CONSTRAINT key_origins_pkey PRIMARY KEY (origin, workspace_id, key_id);

ALTER TABLE ONLY public.key_usage
    ADD CONSTRAINT key_usage_pkey PRIMARY KEY (workspace_id, key_id);

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, user_id);

ALTER TABLE ONLY public.model_usage
    ADD CONSTRAINT model_usage_pkey PRIMARY KEY (workspace_id, day, actor, model);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (n);

ALTER TABLE ONLY public.outbox_rejected
    ADD CONSTRAINT outbox_rejected_pkey PRIMARY KEY (n);

ALTER TABLE ONLY public.rate_buckets
    ADD CONSTRAINT rate_buckets_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY public.secret_checks
    ADD CONSTRAINT secret_checks_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspace_sequences
    ADD CONSTRAINT workspace_sequences_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX job_common_i1 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));

CREATE INDEX job_common_i10 ON pgboss.job_common USING btree (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND (policy = 'key_strict_fifo'::text));

CREATE INDEX job_common_i11 ON pgboss.job_common USING btree (name, priority DESC, created_on, start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked));

CREATE INDEX job_common_i12 ON pgboss.job_common USING btree (source_root_id) WHERE (source_root_id IS NOT NULL);

CREATE UNIQUE INDEX job_common_i13 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = 'created'::pgboss.job_state) AND upsert_by_key);

CREATE INDEX job_common_i14 ON pgboss.job_common USING btree (name, state, blocked, start_after) WHERE (state = ANY (ARRAY['created'::pgboss.job_state, 'retry'::pgboss.job_state, 'active'::pgboss.job_state, 'failed'::pgboss.job_state]));

CREATE INDEX job_common_i15 ON pgboss.job_common USING btree (name, created_on);

CREATE INDEX job_common_i16 ON pgboss.job_common USING btree (name, completed_on) WHERE (completed_on IS NOT NULL);

CREATE INDEX job_common_i17 ON pgboss.job_common USING btree (name, singleton_key, created_on) WHERE ((state < 'active'::pgboss.job_state) AND (singleton_key IS NOT NULL));

CREATE UNIQUE INDEX job_common_i2 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));

CREATE UNIQUE INDEX job_common_i3 ON pgboss.job_common USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));

CREATE UNIQUE INDEX job_common_i4 ON pgboss.job_common USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));

CREATE UNIQUE INDEX job_common_i6 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'exclusive'::text));

CREATE INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL));

CREATE UNIQUE INDEX job_common_i8 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = ANY (ARRAY['active'::pgboss.job_state, 'retry'::pgboss.job_state, 'failed'::pgboss.job_state])) AND (policy = 'key_strict_fifo'::text));

CREATE INDEX job_common_i9 ON pgboss.job_common USING btree (name, id) WHERE (blocking AND (state = 'completed'::pgboss.job_state));

CREATE INDEX job_dep_parent_idx ON pgboss.job_dependency USING btree (parent_name, parent_id);

CREATE INDEX queue_stats_i1 ON ONLY pgboss.queue_stats USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX queue_stats_20261122_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261122 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX queue_stats_20261123_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261123 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX warning_i1 ON pgboss.warning USING btree (created_on DESC);

CREATE UNIQUE INDEX accounts_provider_key ON public.accounts USING btree (provider_id, account_id);

CREATE INDEX accounts_user ON public.accounts USING btree (user_id);

CREATE INDEX api_keys_expiry ON public.api_keys USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (reminded_at IS NULL));

CREATE INDEX audit_log_action ON public.audit_log USING btree (workspace_id, action, id);

CREATE INDEX audit_log_actor ON public.audit_log USING btree (workspace_id, actor_id, id);

CREATE INDEX audit_log_created ON public.audit_log USING btree (workspace_id, created_at);

CREATE INDEX audit_log_target ON public.audit_log USING btree (workspace_id, target_id, id);

CREATE INDEX auth_attempts_end ON public.auth_attempts USING btree (window_ends);

CREATE INDEX events_resource ON ONLY public.events USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261122_workspace_id_resource_id_sequence_idx ON public.events_20261122 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_sequence ON ONLY public.events USING btree (workspace_id, sequence);

CREATE INDEX events_20261122_workspace_id_sequence_idx ON public.events_20261122 USING btree (workspace_id, sequence);

CREATE INDEX events_type ON ONLY public.events USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261122_workspace_id_type_sequence_idx ON public.events_20261122 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261123_workspace_id_resource_id_sequence_idx ON public.events_20261123 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261123_workspace_id_sequence_idx ON public.events_20261123 USING btree (workspace_id, sequence);

CREATE INDEX events_20261123_workspace_id_type_sequence_idx ON public.events_20261123 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261124_workspace_id_resource_id_sequence_idx ON public.events_20261124 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261124_workspace_id_sequence_idx ON public.events_20261124 USING btree (workspace_id, sequence);

CREATE INDEX events_20261124_workspace_id_type_sequence_idx ON public.events_20261124 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261125_workspace_id_resource_id_sequence_idx ON public.events_20261125 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261125_workspace_id_sequence_idx ON public.events_20261125 USING btree (workspace_id, sequence);

CREATE INDEX events_20261125_workspace_id_type_sequence_idx ON public.events_20261125 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261126_workspace_id_resource_id_sequence_idx ON public.events_20261126 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261126_workspace_id_sequence_idx ON public.events_20261126 USING btree (workspace_id, sequence);

CREATE INDEX events_20261126_workspace_id_type_sequence_idx ON public.events_20261126 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261127_workspace_id_resource_id_sequence_idx ON public.events_20261127 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261127_workspace_id_sequence_idx ON public.events_20261127 USING btree (workspace_id, sequence);

CREATE INDEX events_20261127_workspace_id_type_sequence_idx ON public.events_20261127 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261128_workspace_id_resource_id_sequence_idx ON public.events_20261128 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261128_workspace_id_sequence_idx ON public.events_20261128 USING btree (workspace_id, sequence);

CREATE INDEX events_20261128_workspace_id_type_sequence_idx ON public.events_20261128 USING btree (workspace_id, type, sequence);

CREATE INDEX events_20261129_workspace_id_resource_id_sequence_idx ON public.events_20261129 USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_20261129_workspace_id_sequence_idx ON public.events_20261129 USING btree (workspace_id, sequence);

CREATE INDEX events_20261129_workspace_id_type_sequence_idx ON public.events_20261129 USING btree (workspace_id, type, sequence);

CREATE INDEX events_default_workspace_id_resource_id_sequence_idx ON public.events_default USING btree (workspace_id, resource_id, sequence);

CREATE INDEX events_default_workspace_id_sequence_idx ON public.events_default USING btree (workspace_id, sequence);

CREATE INDEX events_default_workspace_id_type_sequence_idx ON public.events_default USING btree (workspace_id, type, sequence);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX idempotency_keys_workspace ON public.idempotency_keys USING btree (workspace_id);

CREATE UNIQUE INDEX invitations_pending_key ON public.invitations USING btree (workspace_id, email) WHERE (state = 'pending'::text);

CREATE INDEX invite_tokens_invitation ON public.invite_tokens USING btree (workspace_id, invitation_id);

CREATE INDEX key_hashes_key ON public.key_hashes USING btree (workspace_id, key_id);

CREATE INDEX key_origins_key ON public.key_origins USING btree (workspace_id, key_id);

CREATE INDEX members_joined ON public.members USING btree (workspace_id, created_at DESC, user_id DESC);

CREATE INDEX members_user ON public.members USING btree (user_id);

CREATE INDEX outbox_bucket ON public.outbox USING btree (bucket, n);

CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);

CREATE UNIQUE INDEX sessions_token_hash_key ON public.sessions USING btree (token_hash);

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE UNIQUE INDEX users_email_key ON public.users USING btree (email);

CREATE INDEX verifications_expiry ON public.verifications USING btree (expires_at);

CREATE INDEX verifications_identifier ON public.verifications USING btree (identifier);

CREATE INDEX verifications_value ON public.verifications USING btree (value);

CREATE INDEX workspaces_deleted ON public.workspaces USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX workspaces_slug_key ON public.workspaces USING btree (slug) WHERE (deleted_at IS NULL);

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.job_common_pkey;

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261122_name_captured_on_deferred_count_queued_idx;

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261122_pkey;

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261123_name_captured_on_deferred_count_queued_idx;

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261123_pkey;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261122_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261122_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261122_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261122_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261123_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261123_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261123_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261123_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261124_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261124_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261124_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261124_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261125_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261125_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261125_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261125_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261126_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261126_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261126_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261126_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261127_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261127_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261127_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261127_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261128_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261128_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261128_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261128_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261129_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_20261129_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_20261129_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_20261129_workspace_id_type_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_default_pkey;

ALTER INDEX public.events_resource ATTACH PARTITION public.events_default_workspace_id_resource_id_sequence_idx;

ALTER INDEX public.events_sequence ATTACH PARTITION public.events_default_workspace_id_sequence_idx;

ALTER INDEX public.events_type ATTACH PARTITION public.events_default_workspace_id_type_sequence_idx;

CREATE TRIGGER sessions_deleted AFTER DELETE ON public.sessions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_epoch_for_sessions();

CREATE TRIGGER sessions_updated AFTER UPDATE ON public.sessions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_epoch_for_sessions();

CREATE TRIGGER users_deleted AFTER DELETE ON public.users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_epoch_for_users();

CREATE TRIGGER users_updated AFTER UPDATE ON public.users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_epoch_for_users();

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

