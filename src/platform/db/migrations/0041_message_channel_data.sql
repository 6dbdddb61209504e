-- What a channel says about a received message beside its content, as the API shows it: the advertisement that led to it,
-- an order, the product that it is about.
alter table messages add column channel_data jsonb;
