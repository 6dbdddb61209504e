/** What each client library sends. */
export const PROMPT = 'How is the weather?';
export const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const WEATHER_TOOL = {
  name: 'get_weather',
  description: 'Returns the weather of a city.',
  parameters: CITY_SCHEMA,
};
export const OBJECT_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
