-- Which of the destinations of a link with targeting rules a click was redirected to. Null for other links.
alter table clicks add column destination_url text;
