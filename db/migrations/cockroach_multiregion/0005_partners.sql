-- Read everywhere every few seconds, written hardly ever.
alter table partner set locality global;

alter table partner_action set locality global;
