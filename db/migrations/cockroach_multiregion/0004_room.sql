-- The waiting room lives where its event does.

alter table room set locality regional by row;

alter table room_gate set locality regional by row;

alter table room_statement set locality regional by row;

alter table room_document set locality regional by row;

alter table room_action set locality regional by row;

alter table room_history set locality regional by row;
