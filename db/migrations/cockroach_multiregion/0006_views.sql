-- Read in every region, written by hand.
alter table chart_view set locality global;

alter table chart_view_action set locality global;
