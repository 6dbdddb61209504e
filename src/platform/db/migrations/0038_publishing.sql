-- The status of the response to accepted requests at `/in/`: some senders treat any other status than 200 as a failure.
alter table publishing_endpoints add column success_status smallint not null default 202
  check (success_status in (200, 202));

-- How many characters of the payload could not be stored, and are U+FFFD in it.
alter table publications add column replaced_characters integer not null default 0;
