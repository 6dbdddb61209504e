-- The request log shows the requests of API keys first, among many of people in the console.
create index api_requests_of_keys on api_requests (workspace_id, id) where api_key_id is not null;
