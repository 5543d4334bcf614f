-- Written with their orders, by the engine, in its region.
alter table ledger_entry set locality regional by row;

alter table order_audit set locality regional by row;
