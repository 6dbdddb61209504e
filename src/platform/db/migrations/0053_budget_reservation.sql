-- What a budget reserves for a call: the most that it can use, or what calls like it used lately.
alter table model_budgets add column reservation text not null default 'worst_case'
  check (reservation in ('worst_case', 'typical'));
