-- Parts of budgets that a process has drawn ahead, so that its calls need no transaction. They count as reserved. What calls
-- of the process reserve stays part of its slice until they are loaded from its journal.
create table model_budget_slices (
  workspace_id uuid not null,
  budget_id uuid not null,
  journal_id uuid not null,
  window_start timestamptz not null,
  amount bigint not null,
  primary key (workspace_id, budget_id, journal_id)
) with (fillfactor = 50);
create index model_budget_slices_journal on model_budget_slices (journal_id);

-- The journal from which an open call was loaded. Such a call has no lease: it ends with its journal.
alter table model_open_calls add column journal_id uuid;
create index model_open_calls_journal on model_open_calls (journal_id) where journal_id is not null;
