-- What was sent, where a template made it of the event; null where it was the event as it is. The first 32 KiB.
alter table delivery_attempts add column request_body text;
